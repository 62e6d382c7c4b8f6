/* SPDX-License-Identifier: Apache-2.0
 *
 * gen: the data of the benchmark, as CSV on standard output. Always the same bytes for the same
 * arguments.
 *
 *     gen cpu    [--hosts 100] [--days 3] [--step 10] [--decimals 0] [--id 0] [--seed 0]
 *     gen tags   [--hosts 100] [--seed 0]
 *     gen geo    [--rows 5000000] [--seed 0]
 *     gen series [--hosts 100000] [--rows 26] [--step 10] [--decimals 0] [--skew 0] [--seed 0]
 *
 * cpu: for each step of time one row per host, in order of time; 10 tags drawn once per host; 10
 * metrics, each a random walk with normal steps within 0 and 100, cut to `decimals` decimals
 * (0: whole numbers; 2 is harder to compress). The shape is that of the `cpu-only` case of TSBS.
 * --id 1 puts a column before them that counts the rows, in an order that has been shuffled a
 * little. tags: the same tags, one row per host. geo: one reading of each of 48 states every 30 s,
 * the weather changes slowly. series: many devices with few rows each (--rows of them on average; a
 * skew gives more to the first ones), a row each step, two metrics, four tags. All start at
 * 2016-01-01T00:00:00Z and have a line of names. */
#include "gen_random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START       1451606400 /* 2016-01-01T00:00:00Z */
#define TAGS        10
#define METRICS     10
#define TAG_MAX     24
#define STATES      48
#define REGIONS     8
#define HOSTS_MAX   10000000
#define DEVIATES    65536u
#define OUTPUT_SIZE (1u << 20)
#define COUNT(a)    (sizeof(a) / sizeof(a)[0])

static const char *const tag_names[TAGS] = {
    "hostname",
    "region",
    "datacenter",
    "rack",
    "os",
    "arch",
    "team",
    "service",
    "service_version",
    "service_environment",
};
static const char *const metric_names[METRICS] = {
    "usage_user",
    "usage_system",
    "usage_idle",
    "usage_nice",
    "usage_iowait",
    "usage_irq",
    "usage_softirq",
    "usage_steal",
    "usage_guest",
    "usage_guest_nice",
};
static const struct {
    const char *name;
    const char *zones; /* one letter each */
} regions[] = {
    {"us-east-1", "abce"},
    {"us-west-1", "ab"},
    {"us-west-2", "abc"},
    {"eu-west-1", "abc"},
    {"eu-central-1", "ab"},
    {"ap-southeast-1", "ab"},
    {"ap-southeast-2", "ab"},
    {"ap-northeast-1", "ac"},
    {"sa-east-1", "abc"},
};
static const char *const teams[] = {"SF", "NYC", "LON", "CHI"};
static const char *const systems[] = {"Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"};
static const char *const archs[] = {"x64", "x86"};
static const char *const environments[] = {"production", "staging", "test"};
static const char *const weathers[] = {
    "sunny", "cloudy", "rain", "storm", "snow", "fog", "windy", "hail"};

struct host {
    char tags[TAGS * TAG_MAX]; /* ",tag,tag…" as it stands in each row */
    size_t tags_len;
    double value[METRICS];
};

struct options {
    long hosts;
    long rows;
    long step;     /* seconds */
    long decimals; /* 0 … 4 */
    long id;       /* 1: a column of its own for it */
    long seed;
    double days;
    double skew;
};

/* ---- randomness, seeded once ---- */

static struct random state = {{0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 42}};
static double deviates[DEVIATES]; /* normal ones; good enough for a walk */

static uint64_t draw(void)
{
    return random_draw(&state);
}

static double draw_unit(void)
{
    return random_unit(&state);
}

static double draw_normal(void)
{
    return deviates[draw() & (DEVIATES - 1)];
}

static void fill_deviates(void)
{
    for (size_t i = 0; i < DEVIATES; i += 2) {
        double u = draw_unit() + 1e-18, v = draw_unit(), r = sqrt(-2 * log(u));

        deviates[i] = r * cos(6.283185307179586 * v);
        deviates[i + 1] = r * sin(6.283185307179586 * v);
    }
}

/* ---- pieces of rows ---- */

static void add_tag(struct host *h, const char *tag)
{
    int n = snprintf(h->tags + h->tags_len, sizeof h->tags - h->tags_len, ",%s", tag);

    h->tags_len += (size_t)n;
}

static void add_tag_number(struct host *h, const char *prefix, uint64_t n)
{
    char tag[TAG_MAX];

    snprintf(tag, sizeof tag, "%s%llu", prefix, (unsigned long long)n);
    add_tag(h, tag);
}

static struct host *make_hosts(long count)
{
    struct host *hosts = calloc((size_t)count, sizeof *hosts);

    if (!hosts) {
        perror("gen");
        exit(1);
    }
    for (long i = 0; i < count; i++) {
        struct host *h = &hosts[i];
        size_t r = draw() % COUNT(regions);
        char zone[TAG_MAX];

        add_tag_number(h, "host_", (uint64_t)i);
        add_tag(h, regions[r].name);
        snprintf(zone,
                 sizeof zone,
                 "%s%c",
                 regions[r].name,
                 regions[r].zones[draw() % strlen(regions[r].zones)]);
        add_tag(h, zone);
        add_tag_number(h, "", draw() % 100);
        add_tag(h, systems[draw() % COUNT(systems)]);
        add_tag(h, archs[draw() % COUNT(archs)]);
        add_tag(h, teams[draw() % COUNT(teams)]);
        add_tag_number(h, "", draw() % 20);
        add_tag_number(h, "", draw() % 2);
        add_tag(h, environments[draw() % COUNT(environments)]);
        for (int k = 0; k < METRICS; k++)
            h->value[k] = draw_unit() * 100;
    }
    return hosts;
}

/* A number within 0 and 100, cut to its first decimals. */
static char *put_number(char *p, double v, long decimals)
{
    static const long power[] = {1, 10, 100, 1000, 10000};
    long scaled = (long)(v * (double)power[decimals]);
    long whole = scaled / power[decimals], rest = scaled % power[decimals];

    if (whole >= 100)
        *p++ = (char)('0' + whole / 100);
    if (whole >= 10)
        *p++ = (char)('0' + whole / 10 % 10);
    *p++ = (char)('0' + whole % 10);
    if (decimals > 0)
        *p++ = '.';
    for (long d = decimals - 1; d >= 0; d--)
        *p++ = (char)('0' + rest / power[d] % 10);
    return p;
}

static size_t put_time(char *buf, size_t size, long t)
{
    time_t seconds = (time_t)t;
    struct tm tm;

    gmtime_r(&seconds, &tm);
    return strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm);
}

static double within(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

/* ---- the tables ---- */

static void put_names(const char *const *names, size_t count, bool first)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s", first && i == 0 ? "" : ",", names[i]);
}

static void write_tags(const struct options *o)
{
    struct host *hosts = make_hosts(o->hosts);

    put_names(tag_names, TAGS, true);
    putchar('\n');
    for (long i = 0; i < o->hosts; i++)
        printf("%s\n", hosts[i].tags + 1);
    free(hosts);
}

/* A number of its own for each row, nearly in order: blocks of 64 are mixed. */
static long id_of(long row)
{
    return (row & ~63L) | ((row * 37 + 11) & 63);
}

static void write_cpu_row(struct host *h, const char *time, size_t time_len, long decimals, long id)
{
    char row[512], *p = row;

    if (id >= 0)
        p += sprintf(p, "%ld,", id_of(id));
    memcpy(p, time, time_len);
    p += time_len;
    memcpy(p, h->tags, h->tags_len);
    p += h->tags_len;
    for (int k = 0; k < METRICS; k++) {
        *p++ = ',';
        p = put_number(p, h->value[k], decimals);
        h->value[k] = within(h->value[k] + draw_normal(), 0, 100);
    }
    *p++ = '\n';
    fwrite(row, 1, (size_t)(p - row), stdout);
}

static void write_cpu(const struct options *o)
{
    struct host *hosts = make_hosts(o->hosts);
    long steps = (long)(o->days * 86400 / (double)o->step);

    printf(o->id ? "id,time" : "time");
    put_names(tag_names, TAGS, false);
    put_names(metric_names, METRICS, false);
    putchar('\n');
    for (long j = 0; j < steps; j++) {
        char time[40];
        size_t time_len = put_time(time, sizeof time, START + j * o->step);

        for (long i = 0; i < o->hosts; i++)
            write_cpu_row(&hosts[i], time, time_len, o->decimals, o->id ? j * o->hosts + i : -1);
    }
    free(hosts);
}

struct device {
    double value;
    long step; /* of its last row */
    long ms;   /* behind the second; a device that is drawn twice in a step has two times */
};

static void
write_series_row(const struct options *o, const char *time, struct device *d, long device)
{
    uint64_t tags = random_mix((uint64_t)device + (uint64_t)o->seed);
    char row[160], *p = row;

    p += sprintf(p,
                 "%s.%03ld,dev_%ld,site_%d,model_%d,fw_%d,%s,",
                 time,
                 d->ms,
                 device,
                 (int)(tags % 200),
                 (int)((tags >> 8 & 0xffff) % 20),
                 (int)(tags >> 24 & 7),
                 tags >> 32 & 1 ? "on" : "off");
    p = put_number(p, d->value, o->decimals);
    *p++ = ',';
    p = put_number(p, draw_unit() * 100, o->decimals);
    *p++ = '\n';
    d->value = within(d->value + draw_normal(), 0, 100);
    fwrite(row, 1, (size_t)(p - row), stdout);
}

/* One step: a row of each device or, with a skew, as many rows of drawn ones; more than a thousand
 * of one device in a step are left out. */
static void write_series_step(const struct options *o, long step, struct device *devices)
{
    char time[40];

    put_time(time, sizeof time, START + step * o->step);
    for (long i = 0; i < o->hosts; i++) {
        long device = o->skew > 0 ? random_skewed(&state, o->hosts, o->skew) : i;
        struct device *d = &devices[device];

        d->ms = d->step == step ? d->ms + 1 : 0;
        d->step = step;
        if (d->ms < 1000)
            write_series_row(o, time, d, device);
    }
}

static void write_series(const struct options *o)
{
    struct device *devices = calloc((size_t)o->hosts, sizeof *devices);

    if (!devices) {
        perror("gen");
        exit(1);
    }
    for (long i = 0; i < o->hosts; i++)
        devices[i] = (struct device){.value = draw_unit() * 100, .step = -1};
    printf("time,device,site,model,firmware,state,v1,v2\n");
    for (long j = 0; j < o->rows; j++)
        write_series_step(o, j, devices);
    free(devices);
}

static void write_geo(const struct options *o)
{
    double temperature[STATES];
    size_t weather[STATES];
    char time[40] = "";

    for (int i = 0; i < STATES; i++) {
        temperature[i] = 5 + draw_unit() * 20;
        weather[i] = draw() % COUNT(weathers);
    }
    printf("region,state,time,weather,temperature\n");
    for (long r = 0; r < o->rows; r++) {
        int i = (int)(r % STATES);

        if (i == 0)
            put_time(time, sizeof time, START + r / STATES * 30);
        temperature[i] = within(temperature[i] + draw_normal() * 0.2, -30, 45);
        if (draw() % 200 == 0)
            weather[i] = draw() % COUNT(weathers);
        printf("region_%d,state_%d,%s,%s,%.1f\n",
               i / (STATES / REGIONS),
               i,
               time,
               weathers[weather[i]],
               temperature[i]);
    }
}

/* ---- arguments ---- */

static int usage(void)
{
    fputs("usage: gen cpu|tags|geo|series [--hosts N] [--days D] [--step SECONDS] [--decimals 0…4] "
          "[--rows N] [--id 0|1] [--skew X] [--seed N]\n",
          stderr);
    return 2;
}

static bool numbers_fit(const struct options *o)
{
    return o->hosts >= 1 && o->hosts <= HOSTS_MAX && o->step >= 1 && o->decimals <= 4 && o->id <= 1;
}

static bool set_option(struct options *o, const char *name, const char *text)
{
    const struct {
        const char *name;
        long *to;
    } numbers[] = {{"--hosts", &o->hosts},
                   {"--rows", &o->rows},
                   {"--step", &o->step},
                   {"--decimals", &o->decimals},
                   {"--id", &o->id},
                   {"--seed", &o->seed}};
    char *end;
    double v = strtod(text, &end);
    long n = (long)within(v, 0, 1e15);

    if (end == text || *end != '\0' || !(v >= 0))
        return false;
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].to = n;
            return numbers_fit(o);
        }
    if (strcmp(name, "--days") == 0)
        o->days = v;
    else if (strcmp(name, "--skew") == 0)
        o->skew = v;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {.hosts = 100, .rows = 5000000, .step = 10, .decimals = 0, .days = 3};

    if (argc < 2 || argc % 2 != 0)
        return usage();
    for (int i = 2; i < argc; i += 2)
        if (!set_option(&o, argv[i], argv[i + 1]))
            return usage();
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
    if (o.seed > 0)
        state = random_from((uint64_t)o.seed);
    fill_deviates();
    if (strcmp(argv[1], "cpu") == 0)
        write_cpu(&o);
    else if (strcmp(argv[1], "tags") == 0)
        write_tags(&o);
    else if (strcmp(argv[1], "geo") == 0)
        write_geo(&o);
    else if (strcmp(argv[1], "series") == 0)
        write_series(&o);
    else
        return usage();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("gen");
        return 1;
    }
    return 0;
}
