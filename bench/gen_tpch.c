/* SPDX-License-Identifier: Apache-2.0
 *
 * gen_tpch: a database of parts, suppliers, customers and orders with the shape of TPC-H, as CSV on
 * standard output. A generator of our own: cardinalities, domains and the ways in which columns
 * depend on each other follow the specification in substance, the values do not.
 *
 *     gen_tpch TABLE [--sf 1] [--seed 1]
 *     TABLE: region, nation, supplier, part, partsupp, customer, orders, lineitem
 *
 * Each row is made from its own seed, so that orders and lineitem agree though each is written
 * alone. There are no commas and no quotes in texts. */
#include "gen_random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OUTPUT_SIZE (1u << 20)
#define COUNT(a)    ((long)(sizeof(a) / sizeof(a)[0]))
#define DAY         86400
#define FIRST_DAY   8035 /* 1992-01-01, in days since 1970 */
#define ORDER_DAYS  2406 /* up to 1998-08-02 */
#define TODAY       9298 /* 1995-06-17 */
#define LINES_MAX   7

#define SUPPLIERS  10000
#define PARTS      200000
#define CUSTOMERS  150000
#define ORDERS     1500000
#define PART_SUPPS 4

static const char *const regions[] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
static const struct {
    const char *name;
    int region;
} nations[] = {
    {"ALGERIA", 0},       {"ARGENTINA", 1}, {"BRAZIL", 1}, {"CANADA", 1},
    {"EGYPT", 4},         {"ETHIOPIA", 0},  {"FRANCE", 3}, {"GERMANY", 3},
    {"INDIA", 2},         {"INDONESIA", 2}, {"IRAN", 4},   {"IRAQ", 4},
    {"JAPAN", 2},         {"JORDAN", 4},    {"KENYA", 0},  {"MOROCCO", 0},
    {"MOZAMBIQUE", 0},    {"PERU", 1},      {"CHINA", 2},  {"ROMANIA", 3},
    {"SAUDI ARABIA", 4},  {"VIETNAM", 2},   {"RUSSIA", 3}, {"UNITED KINGDOM", 3},
    {"UNITED STATES", 1},
};
static const char *const colours[] = {
    "almond",    "antique",   "aquamarine", "azure",     "beige",     "bisque",     "black",
    "blanched",  "blue",      "blush",      "brown",     "burlywood", "chartreuse", "chiffon",
    "chocolate", "coral",     "cornflower", "cream",     "cyan",      "dark",       "deep",
    "dim",       "dodger",    "drab",       "firebrick", "floral",    "forest",     "frosted",
    "gainsboro", "ghost",     "goldenrod",  "green",     "grey",      "honeydew",   "hot",
    "indian",    "ivory",     "khaki",      "lace",      "lavender",  "lawn",       "lemon",
    "light",     "lime",      "linen",      "magenta",   "maroon",    "medium",     "metallic",
    "midnight",  "mint",      "misty",      "moccasin",  "navajo",    "navy",       "olive",
    "orange",    "orchid",    "pale",       "papaya",    "peach",     "peru",       "pink",
    "plum",      "powder",    "puff",       "purple",    "red",       "rose",       "rosy",
    "royal",     "saddle",    "salmon",     "sandy",     "seashell",  "sienna",     "sky",
    "slate",     "smoke",     "snow",       "spring",    "steel",     "tan",        "thistle",
    "tomato",    "turquoise", "violet",     "wheat",     "white",     "yellow",
};
static const char *const sizes[] = {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"};
static const char *const coats[] = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"};
static const char *const metals[] = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
static const char *const packs[] = {"SM", "LG", "MED", "JUMBO", "WRAP"};
static const char *const boxes[] = {"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"};
static const char *const segments[] = {
    "AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"};
static const char *const priorities[] = {
    "1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};
static const char *const instructions[] = {
    "DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"};
static const char *const modes[] = {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"};
static const char *const words[] = {
    "packages",     "requests",     "accounts", "deposits",  "foxes",      "ideas",  "theodolites",
    "instructions", "dependencies", "excuses",  "platelets", "asymptotes", "courts", "dolphins",
    "special",      "pending",      "unusual",  "express",   "furious",    "sly",    "careful",
    "quick",        "fluffy",       "slow",     "quiet",     "ruthless",   "final",  "ironic",
    "even",         "bold",         "silent",   "sleep",     "wake",       "are",    "cajole",
    "haggle",       "nag",          "use",      "boost",     "affix",      "detect", "integrate",
    "among",        "above",        "across",   "after",     "along",
};

static uint64_t seed = 1;
static double factor = 1;

static long scaled(long count)
{
    long n = (long)((double)count * factor + 0.5);

    return n > 0 ? n : 1;
}

/* The randomness of one row of one table. */
static struct random row_random(char table, long key)
{
    return random_from(random_mix(seed * 31 + (uint64_t)table) + (uint64_t)key);
}

static const char *pick(struct random *r, const char *const *from, long count)
{
    return from[random_between(r, 0, count - 1)];
}

/* ---- pieces of rows ---- */

static void put_words(struct random *r, int least, int most)
{
    int n = (int)random_between(r, least, most);

    for (int i = 0; i < n; i++)
        printf("%s%s", i ? " " : "", pick(r, words, COUNT(words)));
}

static void put_address(struct random *r)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ";
    int n = (int)random_between(r, 10, 40);

    for (int i = 0; i < n; i++)
        putchar(i == 0 || i == n - 1 ? 'x'
                                     : letters[random_between(r, 0, (long)sizeof letters - 2)]);
}

static void put_phone(struct random *r, long nation)
{
    printf("%ld-%ld-%ld-%ld",
           nation + 10,
           random_between(r, 100, 999),
           random_between(r, 100, 999),
           random_between(r, 1000, 9999));
}

static void put_cents(long cents)
{
    printf("%s%ld.%02ld", cents < 0 ? "-" : "", labs(cents) / 100, labs(cents) % 100);
}

static void put_date(long day)
{
    static long last = -1;
    static char text[16];
    time_t t = (time_t)day * DAY;
    struct tm tm;

    if (day != last) {
        gmtime_r(&t, &tm);
        strftime(text, sizeof text, "%Y-%m-%d", &tm);
        last = day;
    }
    fputs(text, stdout);
}

/* ---- what several tables know ---- */

static long part_price(long part)
{
    return 90000 + part / 10 % 20001 + 100 * (part % 1000);
}

/* The i-th of the four suppliers of a part: spread over all of them. */
static long part_supplier(long part, long i)
{
    long s = scaled(SUPPLIERS);

    return (part + i * (s / PART_SUPPS + (part - 1) / s)) % s + 1;
}

/* Keys of orders have gaps: 8 of 32 are used. */
static long order_key(long i)
{
    return i / 8 * 32 + i % 8 + 1;
}

struct line {
    long part, supplier, quantity, price, discount, tax; /* money in cents, the others in percent */
    long ship, commit, receipt;                          /* days */
};

struct order {
    long customer, day, total;
    int lines;
    char status;
    struct line line[LINES_MAX];
    struct random random; /* for the texts */
};

static struct order make_order(long i)
{
    struct random r = row_random('o', i);
    struct order o = {.customer = random_between(&r, 1, scaled(CUSTOMERS)),
                      .day = FIRST_DAY + random_between(&r, 0, ORDER_DAYS - 1),
                      .lines = (int)random_between(&r, 1, LINES_MAX)};
    int open = 0;

    if (o.customer % 3 == 0) /* a third of all customers never orders */
        o.customer -= o.customer > 1 ? 1 : 0;
    for (int k = 0; k < o.lines; k++) {
        struct line *l = &o.line[k];

        l->part = random_between(&r, 1, scaled(PARTS));
        l->supplier = part_supplier(l->part, random_between(&r, 0, PART_SUPPS - 1));
        l->quantity = random_between(&r, 1, 50);
        l->price = l->quantity * part_price(l->part);
        l->discount = random_between(&r, 0, 10);
        l->tax = random_between(&r, 0, 8);
        l->ship = o.day + random_between(&r, 1, 121);
        l->commit = o.day + random_between(&r, 30, 90);
        l->receipt = l->ship + random_between(&r, 1, 30);
        open += l->ship > TODAY;
        o.total += l->price * (100 - l->discount) / 100 * (100 + l->tax) / 100;
    }
    o.status = open == o.lines ? 'O' : open == 0 ? 'F' : 'P';
    o.random = r;
    return o;
}

/* ---- tables ---- */

static void write_region(void)
{
    puts("r_regionkey,r_name,r_comment");
    for (long i = 0; i < COUNT(regions); i++) {
        struct random r = row_random('r', i);

        printf("%ld,%s,", i, regions[i]);
        put_words(&r, 4, 12);
        putchar('\n');
    }
}

static void write_nation(void)
{
    puts("n_nationkey,n_name,n_regionkey,n_comment");
    for (long i = 0; i < COUNT(nations); i++) {
        struct random r = row_random('n', i);

        printf("%ld,%s,%d,", i, nations[i].name, nations[i].region);
        put_words(&r, 4, 12);
        putchar('\n');
    }
}

static void write_supplier(void)
{
    puts("s_suppkey,s_name,s_address,s_nationkey,s_phone,s_acctbal,s_comment");
    for (long i = 1; i <= scaled(SUPPLIERS); i++) {
        struct random r = row_random('s', i);
        long nation = random_between(&r, 0, COUNT(nations) - 1);
        long remark = random_between(&r, 0, 1999); /* one in 2000 is bad, as many good */

        printf("%ld,Supplier#%09ld,", i, i);
        put_address(&r);
        printf(",%ld,", nation);
        put_phone(&r, nation);
        putchar(',');
        put_cents(random_between(&r, -99999, 999999));
        putchar(',');
        put_words(&r, 3, 6);
        if (remark < 2)
            fputs(remark ? " Customer sly Recommends" : " Customer slow Complaints", stdout);
        putchar('\n');
    }
}

static void write_part(void)
{
    puts("p_partkey,p_name,p_mfgr,p_brand,p_type,p_size,p_container,p_retailprice,p_comment");
    for (long i = 1; i <= scaled(PARTS); i++) {
        struct random r = row_random('p', i);
        long maker = random_between(&r, 1, 5);

        printf("%ld,", i);
        for (int k = 0; k < 5; k++)
            printf("%s%s", k ? " " : "", pick(&r, colours, COUNT(colours)));
        printf(",Manufacturer#%ld,Brand#%ld%ld,", maker, maker, random_between(&r, 1, 5));
        printf("%s ", pick(&r, sizes, COUNT(sizes)));
        printf("%s ", pick(&r, coats, COUNT(coats)));
        printf("%s,%ld,", pick(&r, metals, COUNT(metals)), random_between(&r, 1, 50));
        printf("%s ", pick(&r, packs, COUNT(packs)));
        printf("%s,", pick(&r, boxes, COUNT(boxes)));
        put_cents(part_price(i));
        putchar(',');
        put_words(&r, 1, 3);
        putchar('\n');
    }
}

static void write_partsupp(void)
{
    puts("ps_partkey,ps_suppkey,ps_availqty,ps_supplycost,ps_comment");
    for (long i = 1; i <= scaled(PARTS); i++) {
        struct random r = row_random('u', i);

        for (long k = 0; k < PART_SUPPS; k++) {
            printf("%ld,%ld,%ld,", i, part_supplier(i, k), random_between(&r, 1, 9999));
            put_cents(random_between(&r, 100, 100000));
            putchar(',');
            put_words(&r, 6, 24);
            putchar('\n');
        }
    }
}

static void write_customer(void)
{
    puts("c_custkey,c_name,c_address,c_nationkey,c_phone,c_acctbal,c_mktsegment,c_comment");
    for (long i = 1; i <= scaled(CUSTOMERS); i++) {
        struct random r = row_random('c', i);
        long nation = random_between(&r, 0, COUNT(nations) - 1);

        printf("%ld,Customer#%09ld,", i, i);
        put_address(&r);
        printf(",%ld,", nation);
        put_phone(&r, nation);
        putchar(',');
        put_cents(random_between(&r, -99999, 999999));
        printf(",%s,", pick(&r, segments, COUNT(segments)));
        put_words(&r, 4, 14);
        putchar('\n');
    }
}

static void write_orders(void)
{
    puts("o_orderkey,o_custkey,o_orderstatus,o_totalprice,o_orderdate,o_orderpriority,o_clerk,"
         "o_shippriority,o_comment");
    for (long i = 0; i < scaled(ORDERS); i++) {
        struct order o = make_order(i);

        printf("%ld,%ld,%c,", order_key(i), o.customer, o.status);
        put_cents(o.total);
        putchar(',');
        put_date(o.day);
        printf(",%s,", pick(&o.random, priorities, COUNT(priorities)));
        printf("Clerk#%09ld,0,", random_between(&o.random, 1, scaled(1000)));
        put_words(&o.random, 3, 10);
        if (random_between(&o.random, 0, 99) == 0)
            fputs(" special careful requests", stdout);
        putchar('\n');
    }
}

static void write_line(long order, int number, const struct line *l, struct random *r)
{
    bool received = l->receipt <= TODAY;

    printf("%ld,%ld,%ld,%d,%ld,", order, l->part, l->supplier, number, l->quantity);
    put_cents(l->price);
    printf(",0.%02ld,0.%02ld,", l->discount, l->tax);
    printf("%c,%c,",
           received ? (random_between(r, 0, 1) ? 'R' : 'A') : 'N',
           l->ship > TODAY ? 'O' : 'F');
    put_date(l->ship);
    putchar(',');
    put_date(l->commit);
    putchar(',');
    put_date(l->receipt);
    printf(",%s,", pick(r, instructions, COUNT(instructions)));
    printf("%s,", pick(r, modes, COUNT(modes)));
    put_words(r, 2, 6);
    putchar('\n');
}

static void write_lineitem(void)
{
    puts(
        "l_orderkey,l_partkey,l_suppkey,l_linenumber,l_quantity,l_extendedprice,l_discount,l_tax,"
        "l_returnflag,l_linestatus,l_shipdate,l_commitdate,l_receiptdate,l_shipinstruct,l_shipmode,"
        "l_comment");
    for (long i = 0; i < scaled(ORDERS); i++) {
        struct order o = make_order(i);
        struct random r = row_random('l', i);

        for (int k = 0; k < o.lines; k++)
            write_line(order_key(i), k + 1, &o.line[k], &r);
    }
}

static const struct {
    const char *name;
    void (*write)(void);
} tables[] = {
    {"region", write_region},
    {"nation", write_nation},
    {"supplier", write_supplier},
    {"part", write_part},
    {"partsupp", write_partsupp},
    {"customer", write_customer},
    {"orders", write_orders},
    {"lineitem", write_lineitem},
};

int main(int argc, char **argv)
{
    bool good = argc >= 2 && argc % 2 == 0;

    for (int i = 2; good && i < argc; i += 2) {
        if (strcmp(argv[i], "--sf") == 0)
            factor = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else
            good = false;
    }
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
    for (long i = 0; good && factor > 0 && i < COUNT(tables); i++)
        if (strcmp(argv[1], tables[i].name) == 0) {
            tables[i].write();
            return fflush(stdout) != 0 || ferror(stdout) ? 1 : 0;
        }
    fputs("usage: gen_tpch TABLE [--sf FACTOR] [--seed N]\n", stderr);
    return 2;
}
