# SPDX-License-Identifier: Apache-2.0
#
# sample.awk: prints the SQL of the sample volume: the GeoCheckin table and one day of readings,
# one every five minutes for each of sixteen series. The same text on every machine: the numbers
# come from a small generator written out below, not from rand().

function next_random() {
    seed = (seed * 16807) % 2147483647
    return seed
}

function series(region, state, base) {
    regions[series_count] = region
    states[series_count] = state
    bases[series_count] = base
    series_count++
}

BEGIN {
    seed = 20240115
    split("sunny cloudy rain fog snow windy", sky, " ")
    series_count = 0
    series("north", "minnesota", -9); series("north", "michigan", -4)
    series("north", "wisconsin", -6); series("north", "maine", -5)
    series("south", "texas", 14);     series("south", "louisiana", 15)
    series("south", "alabama", 12);   series("south", "georgia", 11)
    series("east", "new york", 1);    series("east", "vermont", -3)
    series("east", "delaware", 4);    series("east", "maryland", 5)
    series("west", "california", 17); series("west", "oregon", 7)
    series("west", "nevada", 9);      series("west", "washington", 6)
    steps = 288

    print "-- rows: " series_count * steps
    print "CREATE TABLE IF NOT EXISTS GeoCheckin"
    print "("
    print "    region       VARCHAR   NOT NULL,"
    print "    state        VARCHAR   NOT NULL,"
    print "    time         TIMESTAMP NOT NULL,"
    print "    weather      VARCHAR   NOT NULL,"
    print "    temperature  DOUBLE,"
    print "    PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time)"
    print ");"

    for (s = 0; s < series_count; s++) {
        weather = 1 + next_random() % 6
        drift = 0
        for (i = 0; i < steps; i++) {
            if (i % 96 == 0)
                print "INSERT INTO GeoCheckin (region, state, time, weather, temperature) VALUES"
            if (next_random() % 40 == 0)
                weather = 1 + next_random() % 6
            drift += next_random() % 5 - 2
            # A day's arc in tenths of a degree, highest at 14:00, plus a slow walk.
            hour = i / 12
            arc = 60 - (hour - 14) * (hour - 14) * 0.6
            tenths = bases[s] * 10 + int(arc) + drift
            if (next_random() % 97 == 0)
                value = "NULL"
            else
                value = sprintf("%.1f", tenths / 10)
            printf "    ('%s', '%s', '2024-01-15T%02d:%02d:00Z', '%s', %s)%s\n", regions[s], \
                states[s], int(i / 12), (i % 12) * 5, sky[weather], value, \
                (i % 96 == 95 ? ";" : ",")
        }
    }
    print "CHECKPOINT;"
}
