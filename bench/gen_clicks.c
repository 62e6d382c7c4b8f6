/* SPDX-License-Identifier: Apache-2.0
 *
 * gen_clicks: hits of a web analytics service, as CSV on standard output; always the same bytes for
 * the same arguments. The shape is that of the table of ClickBench, as far as its queries look at
 * it: few sites with many hits, many users with few, most texts empty, long addresses.
 *
 *     gen_clicks [--rows 1000000] [--users 170000] [--sites 6000] [--skew 3] [--seed 1]
 *
 * Rows come in order of time, over July 2013. There are no commas in texts; an empty one is "". */
#include "gen_random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OUTPUT_SIZE (1u << 20)
#define COUNT(a)    ((long)(sizeof(a) / sizeof(a)[0]))
#define START       1372636800 /* 2013-07-01T00:00:00Z */
#define SECONDS     (31 * 86400)
#define EMPTY       "\"\"" /* without quotes it would be NULL */
#define PHRASES     60000
#define PAGES       900000
#define BIG_SITE    62 /* what a fifth of all hits are of */

static const char *const models[] = {
    "iPad", "iPhone", "Galaxy S3", "Nexus 7", "Lumia 800", "Xperia", "One X", "Optimus", "Desire"};
static const char *const words[] = {"karelia", "car",   "weather", "map",    "film",   "music",
                                    "price",   "house", "garden",  "online", "free",   "game",
                                    "news",    "photo", "train",   "ticket", "recipe", "school",
                                    "city",    "phone", "review",  "garage", "dress",  "kitchen",
                                    "forum",   "bank",  "credit",  "hotel",  "tour",   "repair"};
static const char *const places[] = {"google", "yandex", "shop", "auto", "video", "forum", "wiki"};
static const long widths[] = {1366, 1920, 1280, 1024, 1600, 1440, 1680, 320, 768, 0};
static const char columns[] =
    "watch_id,counter_id,event_time,event_date,user_id,region_id,client_ip,adv_engine_id,"
    "resolution_width,mobile_phone,mobile_phone_model,search_engine_id,search_phrase,url,title,"
    "referer,is_refresh,dont_count_hits,is_link,is_download,traffic_source_id,referer_hash,"
    "url_hash,window_width,window_height";

struct options {
    long rows, users, sites;
    double skew;
    long seed;
};

static bool one_in(struct random *r, long n)
{
    return random_between(r, 1, n) == 1;
}

/* Words that belong to a number. */
static void put_words(uint64_t of, int count, char between)
{
    if (count == 0)
        fputs(EMPTY, stdout);
    for (int i = 0; i < count; i++) {
        of = random_mix(of);
        if (i > 0)
            putchar(between);
        fputs(words[of % (uint64_t)COUNT(words)], stdout);
    }
}

static void put_address(uint64_t page)
{
    uint64_t mix = random_mix(page + 7);

    printf("http://%s%d.example/", places[mix % (uint64_t)COUNT(places)], (int)(page % 997));
    put_words(mix, 2 + (int)(mix >> 40) % 3, '/');
    printf("?id=%llu", (unsigned long long)page);
}

/* A number that fits in 63 bits. */
static unsigned long long number_of(uint64_t x)
{
    return (unsigned long long)(random_mix(x) >> 1);
}

static void put_times(long second)
{
    time_t t = START + second;
    struct tm tm;
    char text[48];

    gmtime_r(&t, &tm);
    strftime(text, sizeof text, ",%Y-%m-%d %H:%M:%S,%Y-%m-%d", &tm);
    fputs(text, stdout);
}

static void put_device(struct random *r, uint64_t user)
{
    bool phone = user % 13 == 0;

    printf(",%ld,%ld,%d,%s",
           one_in(r, 30) ? random_between(r, 2, 30) : 0,
           widths[user / 13 % (uint64_t)COUNT(widths)],
           phone ? (int)(user / 7 % 90) + 1 : 0,
           phone ? models[user % (uint64_t)COUNT(models)] : EMPTY);
}

/* The phrase that was searched for, mostly none; the engine that was asked. */
static void put_search(struct random *r, double skew)
{
    if (random_between(r, 1, 100) > 13) {
        fputs(",0," EMPTY, stdout);
        return;
    }
    printf(",%ld,", random_between(r, 1, 20));
    put_words((uint64_t)random_skewed(r, PHRASES, skew), (int)random_between(r, 1, 2) + 1, ' ');
}

static void put_flags(struct random *r)
{
    printf(",%d,%d,%d,%d,%ld",
           one_in(r, 6),
           one_in(r, 20),
           one_in(r, 8),
           one_in(r, 200),
           one_in(r, 4) ? 6 : random_between(r, -1, 5));
}

static void write_row(struct random *r, const struct options *o, long row)
{
    uint64_t user = (uint64_t)random_skewed(r, o->users, o->skew);
    bool big = one_in(r, 5);
    long site = big ? BIG_SITE : random_skewed(r, o->sites, o->skew);
    uint64_t page = (uint64_t)random_skewed(r, big ? 5000 : PAGES, o->skew);
    uint64_t from = (uint64_t)random_skewed(r, PAGES, o->skew);
    bool referred = !one_in(r, 5);

    printf("%llu,%ld", number_of((uint64_t)row + 0x5bd1e995u * (uint64_t)o->seed), site);
    put_times((long)((double)row / (double)o->rows * SECONDS));
    printf(",%llu,%ld,%ld",
           number_of(user + 17),
           (long)(random_mix(user) % 229) * (user % 3 == 0 ? 1 : 5),
           (long)(random_mix(user + 3) >> 33));
    put_device(r, user);
    put_search(r, o->skew);
    putchar(',');
    put_address(page);
    putchar(',');
    put_words(page / 3, one_in(r, 10) ? 0 : 5, ' ');
    putchar(',');
    if (referred)
        put_address(from);
    else
        fputs(EMPTY, stdout);
    put_flags(r);
    printf(",%llu,%llu,%ld,%ld\n",
           referred ? number_of(from + 29) : 0,
           number_of(page + 31),
           random_between(r, 3, 19) * 100,
           random_between(r, 3, 10) * 100);
}

static bool set_option(struct options *o, const char *name, const char *text)
{
    const struct {
        const char *name;
        long *to;
    } numbers[] = {
        {"--rows", &o->rows}, {"--users", &o->users}, {"--sites", &o->sites}, {"--seed", &o->seed}};

    if (strcmp(name, "--skew") == 0) {
        o->skew = strtod(text, NULL);
        return o->skew >= 0;
    }
    for (long i = 0; i < COUNT(numbers); i++)
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].to = strtol(text, NULL, 10);
            return *numbers[i].to > 0;
        }
    return false;
}

int main(int argc, char **argv)
{
    struct options o = {.rows = 1000000, .users = 170000, .sites = 6000, .skew = 3, .seed = 1};
    struct random r;

    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !set_option(&o, argv[i], argv[i + 1])) {
            fputs("usage: gen_clicks [--rows N] [--users N] [--sites N] [--skew X] [--seed N]\n",
                  stderr);
            return 2;
        }
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
    r = random_from((uint64_t)o.seed);
    puts(columns);
    for (long row = 0; row < o.rows; row++)
        write_row(&r, &o, row);
    return fflush(stdout) != 0 || ferror(stdout) ? 1 : 0;
}
