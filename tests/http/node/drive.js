// SPDX-License-Identifier: Apache-2.0
// drive.js: clients of InfluxDB 2 and QuestDB (HTTP and TCP) write points. Fails by an error.
const { InfluxDB, Point } = require('@influxdata/influxdb-client');
const { Sender } = require('@questdb/nodejs-client');

const [http, tcp] = process.argv.slice(2);

async function influx() {
    const api = new InfluxDB({ url: `http://127.0.0.1:${http}`, token: 'x' }).getWriteApi('org', 'js', 'ns');
    for (let i = 0; i < 2000; i++) {
        api.writePoint(new Point('temp').tag('sensor', 's ' + (i % 3)).floatField('v', i + 0.5).intField('n', i)
            .uintField('u', i).booleanField('b', i % 2 === 0).stringField('s', 'x"\n' + i).timestamp(String(i + 1)));
    }
    await api.close();
}

async function questdb(config, table) {
    const s = await Sender.fromConfig(config);
    if (config.startsWith('tcp')) await s.connect();
    for (let i = 0; i < 100; i++) {
        s.table(table).symbol('sym', 'ETH').symbol('side', i % 2 ? 'buy' : 'sell').floatColumn('price', 2615.5 + i)
            .intColumn('amount', i).stringColumn('note', 'a"b').booleanColumn('ok', true);
        await s.at(BigInt(i + 1), 'ns');
    }
    await s.flush();
    await s.close();
}

(async () => {
    await influx();
    await questdb(`http::addr=127.0.0.1:${http};`, 'trades');
    await questdb(`tcp::addr=127.0.0.1:${tcp};protocol_version=1;`, 'trades_tcp');
})().catch((e) => {
    console.error(e);
    process.exit(1);
});
