# SPDX-License-Identifier: Apache-2.0
"""Random expressions without tables, spelled alike in Dendro and PostgreSQL: casts between all types, texts of values,
numbers, strings, bytes, dates and times, arrays, and how types meet in CASE, VALUES and set operations.

A form is one line of FORMS: the kind of the result, and the expression with a {kind} for each part. Values are literals of
LITERALS; some of them are bare, so that what stands beside them says their type."""
import re

import compare

# What casts go to, with the spelling of the type.
TYPES = {"int2": "smallint", "int": "integer", "int8": "bigint", "float4": "real", "float8": "double precision",
         "num": "numeric", "text": "text", "bool": "boolean", "bytes": "bytea", "date": "date", "time": "time",
         "stamp": "timestamp(6)", "tz": "timestamptz", "iv": "interval", "uuid": "uuid", "ints": "integer[]",
         "texts": "text[]", "nums": "numeric[]", "dates": "date[]", "timetz": "timetz", "bits": "bit varying"}

LITERALS = {
    "int2": "0|1|-1|7|32767|-32768|100",
    "int": "0|1|2|3|-1|-7|10|100|2147483647|-2147483648|12345",
    "n": "0|1|2|3|4|5|-1|-2|10",
    "int8": "0|1|-1|5000000000|9223372036854775807|-9223372036854775807|42",
    "float4": "0|1.5|-2.25|1e10|0.1|3|NaN|Infinity|1e-5",
    "float8": "0|1.5|-2.25|1e100|0.1|3|NaN|-Infinity|1e-7|123456789.125|0.5|-0.5|2.5",
    "num": "0|1.5|-2.25|100.00|0.001|12345.6789|NaN|-0.5|2.50|99999999999.99|7|0.05",
    "text": "|a|abc|it's|  pad |10|-3.5|true|2015-06-01|Größe|{1,2}|foo,bar,,baz|x_y%z|AbC dEf|1 day|04:05|ab12cd|z\\z|日本語",
    "bool": "true|false|t|off|yes|0",
    "bytes": "\\x|\\x00ff|\\x616263|abc|\\\\001a",
    "date": "2015-06-01|2000-02-29|1969-12-31|infinity|1999-12-31|2024-01-01|January 8, 1999|epoch",
    "time": "00:00|04:05:06.789|23:59:59.999999|12:00|24:00",
    "stamp": "2015-06-01 04:05:06.789|2000-02-29|1969-12-31 23:59:59|infinity|2024-12-31 23:59:59.999999|0099-01-01",
    "tz": "2015-06-01 04:05:06.789+02|2000-02-29 00:00Z|-infinity|1999-12-31 23:30:00-05|2024-03-10 02:30 America/New_York",
    "iv": "1 day|-1 mon 3 days|02:03:04.5|1 year 2 mons -4 days 05:06|0|-36:00:00.25|1.5 years|P1Y2M3DT4H5M6S|90 days|2 weeks 1 hour",
    "uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|{00000000000000000000000000000000}|A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12",
    "ints": "{}|{1,2,3}|{3,NULL,1}|{{1,2},{3,4}}|[0:2]={7,8,9}|{5}",
    "texts": "{}|{a,b,c}|{NULL,\"a b\",\"\"}|{\"x\\\"y\",\"NULL\"}|{{a},{b}}|{a,b,a}",
    "nums": "{}|{1.5,2.25}|{NaN,0.10}|{NULL}",
    "dates": "{2015-06-01,2000-02-29}|{infinity,NULL}",
    "timetz": "00:00+00|04:05:06.789+02|23:59:59.999999-05:30|12:00-08|24:00+00|04:05 Z|1:2:3 PM+1",
    "bits": "|0|1|101|0101|11110000|000000001|xF0",
}

FORMS = """
int | ({int} + {int})
int | ({int} - {n})
int8 | ({int8} + {int})
int8 | ({int8} * {n})
int | ({int} / {n})
int | ({int} % {n})
int | mod({int}, {n})
num | ({num} + {num})
num | ({num} - {num})
num | ({num} * {num})
num | ({num} / {num})
num | ({num} % {num})
num | div({num}, {num})
num | ({num} * {int})
num | round({num}, {n})
num | round({num})
num | trunc({num}, {n})
num | ceil({num})
num | floor({num})
num | abs({num})
num | sign({num})
num | (- {num})
num | sqrt(abs({num}))
num | exp({num}::numeric % 20)
num | ln(abs({num}) + 1)
num | log(abs({num}) + 1)
num | log(2.0, abs({num}) + 1)
num | power(abs({num}) % 50, {n} % 5)
num | (abs({num}::numeric) % 50 ^ 0.5)
num | gcd({num}, {num})
num | lcm({int2} + 0.5, {n})
num | trim_scale({num})
int | scale({num})
int | min_scale({num})
int | width_bucket({num}, 0, 10, 5)
int | width_bucket({float8}, 0, 10, 5)
int | width_bucket({int}, ARRAY[1, 3, 60])
float8 | ({float8} + {float8})
float8 | ({float8} - {num})
float8 | ({float8} * {float4})
float8 | ({float8} / {float8})
float8 | round({float8})
float8 | trunc({float8})
float8 | ceil({float8})
float8 | sqrt({float8})
float8 | cbrt({float8})
float8 | power({float8}, {n})
float8 | exp({float8} / 100)
float8 | ln({float8})
float8 | log({float8})
float8 | sind({float8})
float8 | cosd({int})
float8 | tand({n} * 45)
float8 | asin({float8})
float8 | acosd({float8})
float8 | atan2d({float8}, {float8})
float8 | sinh({n})
float8 | atanh({float8})
float8 | degrees({float8})
int | (({int} & {int}) | ({int} # {int}))
int | (~ {int})
int | ({int} << {n})
int | ({int} >> {n})
int8 | factorial(abs({n}))
num | factorial({n})
int | sign({int})::int
bool | ({any} = {same})
bool | ({any} < {same})
bool | ({any} >= {same})
bool | ({any} IS DISTINCT FROM {same})
bool | ({any} BETWEEN {same} AND {same})
bool | ({any} IN ({same}, {same}))
bool | ({int} = {num})
bool | ({int} < {float8})
bool | ({float8} = {num})
bool | ({date} < {stamp})
bool | ({date} = {tz})
bool | ({stamp} < {tz})
bool | ({bool} AND {bool})
bool | ({bool} IS NOT TRUE)
bool | isfinite({date})
bool | isfinite({tz})
bool | ({text} LIKE {text})
bool | ({text} ILIKE 'A%')
bool | ({text} ~ '[a-c]+')
bool | ({text} SIMILAR TO '%(a|b)%')
bool | starts_with({text}, {text})
bool | ({text} ^@ {text})
int | num_nulls({any}, NULL, {any})
int | num_nonnulls({any}, NULL, {any})
text | ({text} || {text})
text | ({text} || {shown}::text)
text | concat({shown}, {shown}, NULL, {shown})
text | concat_ws({text}, {shown}, NULL, {shown})
text | substring({text}, {n}, abs({n}))
text | substring({text} FROM {n})
text | substring({text} FROM '[a-z]+')
text | substr({text}, {n})
text | left({text}, {n})
text | right({text}, {n})
text | lpad({text}, {n}, {text})
text | rpad({text}, {n})
text | btrim({text}, {text})
text | trim(leading {text} from {text})
text | trim(both from {text})
text | replace({text}, {text}, {text})
text | translate({text}, 'abc', {text})
text | overlay({text} placing {text} from abs({n}) + 1 for abs({n}))
text | split_part({text}, ',', {n})
text | reverse({text})
text | repeat({text}, {n})
text | to_hex({int})
text | to_hex({int8})
text | chr(65 + abs({n}))
text | quote_ident({ident})
text | quote_literal({text})
text | quote_literal({num})
text | quote_nullable({text})
text | format('%s|%I|%L', {num}, {ident}, {bool})
text | format('%2$s %1$5s|%-6s|', {text}, {text}, {text})
text | md5({text})
text | md5({bytes})
text | encode({bytes}, 'hex')
text | encode({bytes}, 'escape')
text | replace(encode({bytes}, 'base64'), chr(10), '/')
text | encode(sha256({bytes}), 'hex')
text | regexp_replace({text}, '[a-z]', 'X')
text | regexp_replace({text}, '([a-z])', '<\\1>', 'g')
text | regexp_substr({text}, '[a-z]+', 1, abs({n}) + 1)
int | regexp_count({text}, '[a-z]')::int
int | regexp_instr({text}, '[b-z]', 1, abs({n}) + 1)
texts | regexp_match({text}, '([a-z])([a-z])')
texts | regexp_split_to_array({text}, '[,_ ]')
texts | string_to_array({text}, ',')
texts | string_to_array({text}, {text}, {text})
text | array_to_string({texts}, ',', '*')
text | array_to_string({ints}, ',')
text | initcap({ident})
int | length({text})::int
int | octet_length({text})::int
int | bit_length({text})::int
int | strpos({text}, {text})::int
int | position({text} in {text})::int
int | ascii({text})::int
int | length({bytes})::int
int | get_byte({bytes}, abs({n}))::int
int | bit_count({bytes})::int
bytes | ({bytes} || {bytes})
bytes | substring({bytes}, {n}, abs({n}))
bytes | overlay({bytes} placing {bytes} from abs({n}) + 1)
bytes | btrim({bytes}, '\\x00'::bytea)
bytes | decode(encode({bytes}, 'base64'), 'base64')
bytes | convert_to({text}, 'UTF8')
bytes | set_byte('\\x010203'::bytea, abs({n}), 65)
date | ({date} + {n})
date | ({date} - {n})
int | ({date} - {date})
stamp | ({date} + {time})
stamp | ({date} + {iv})
stamp | ({stamp} - {iv})
tz | ({tz} + {iv})
iv | ({stamp} - {stamp})
iv | ({tz} - {tz})
iv | ({time} - {time})
time | ({time} + {iv})
time | ({time} - {iv})
iv | ({iv} + {iv})
iv | ({iv} - {iv})
iv | ({iv} * {float8})
iv | ({iv} * {n})
iv | ({iv} / {n})
iv | (- {iv})
iv | age({day}, {day})
iv | age({day}::timestamptz, {day})
iv | justify_days({iv})
iv | justify_hours({iv})
iv | justify_interval({iv})
iv | make_interval({n}, {n}, {n}, {n}, {n}, {n}, {n})
iv | date_trunc({unit}, {iv})
stamp | date_trunc({unit}, {stamp})
tz | date_trunc({unit}, {tz})
tz | date_trunc({unit}, {tz}, 'Asia/Tokyo')
stamp | date_bin('7 hours', {stamp}, TIMESTAMP '2000-01-01')
stamp | ({tz} AT TIME ZONE 'America/New_York')
tz | ({stamp} AT TIME ZONE 'America/New_York')
float8 | extract({field} FROM {stamp})::float8
float8 | extract({field} FROM {date})::float8
float8 | extract({field} FROM {iv})::float8
float8 | extract({field} FROM {time})::float8
float8 | date_part({unit}, {date})
date | make_date(2000 + {n}, abs({n}) + 1, abs({n}) + 1)
time | make_time(abs({n}), abs({n}), abs({n}))
stamp | make_timestamp(2000 + {n}, 1 + abs({n}), 1, 2, 3, 4.5)
bool | (to_timestamp({float8}) < {tz})
text | to_char({num}, {numtmpl})
text | to_char({int}, {numtmpl})
text | to_char(abs({n}) * 77, 'RN')
text | to_char({float8}, {numtmpl})
text | to_char({stamp}, {timetmpl})
text | to_char({tz}, {timetmpl})
text | to_char({stamp}, 'IYYY-IW ID')
text | to_char({iv}, 'DD HH24:MI:SS.US')
num | to_number({num}::text, '99999.99')
date | to_date('2015-06-' || (abs({n}) + 1), 'YYYY-MM-DD')
bool | (({date}, {iv}) OVERLAPS ({date}, {iv}))
bool | (({time}, {time}) OVERLAPS ({time}, {iv}))
ints | ({ints} || {ints})
ints | ({ints} || {int})
ints | ({int} || {ints})
ints | array_append({ints}, {int})
ints | array_prepend({int}, {ints})
ints | array_cat({ints}, {ints})
ints | array_remove({ints}, {int})
ints | array_replace({ints}, {int}, {int})
ints | array_positions({ints}, {int})
ints | trim_array({ints}, abs({n}))
ints | array_fill(({int})::integer, ARRAY[abs({n})])
ints | ({ints})[1:2]
ints | ({ints})[:{n}]
ints | ARRAY[{int}, {n}, NULL]
int | ({ints})[{n}]
int | array_length({ints}, 1)
int | array_upper({ints}, 1)
int | array_lower({ints}, 1)
int | array_ndims({ints})
int | cardinality({ints})
int | array_position({ints}, {int})
text | array_dims({ints})
bool | ({ints} @> {ints})
bool | ({ints} && {ints})
bool | ({int} = ANY ({ints}))
bool | ({int} < ALL ({ints}))
bool | ({texts} = {texts})
bool | ({nums} < {nums})
texts | ({texts} || {text}::text)
texts | array_replace({texts}, 'a', {text})
texts | ARRAY[{text}, {text}]
nums | ARRAY[{num}, {int}]
dates | ({dates} || {date})
timetz | ({timetz} + {iv})
timetz | ({timetz} - {iv})
timetz | ({timetz} AT TIME ZONE 'UTC')
timetz | ({timetz} AT TIME ZONE INTERVAL '-03:30')
timetz | timezone('+05', {timetz})
tz | ({date} + {timetz})
bool | ({timetz} < {timetz})
float8 | extract({field} FROM {timetz})::float8
time | ({timetz})::time
bits | ({bits} || {bits})
bits | (~ {bits})
bits | ({bits} << {n})
bits | ({bits} >> abs({n}))
bits | (({bits})::bit(5) & ({bits})::bit(5))::bit varying
bits | (({bits})::bit(5) # ({bits})::bit(5))::bit varying
bits | substring({bits} from {n})
bits | substring({bits} from {n} for abs({n}))
bits | overlay({bits} placing {bits} from abs({n}) + 1)
bits | ({int})::bit(8)::bit varying
int | length({bits})
int | octet_length({bits})
int | bit_count({bits})::int
int | position({bits} in {bits})
int | get_bit(({bits})::bit varying, abs({n}))
int | (({bits})::bit(16))::int
bits | set_bit(({bits})::bit varying, abs({n}), 1)
num | avg(x) FROM (VALUES ({num}), ({num}), ({num})) v(x)
num | sum(x) FROM (VALUES ({num}), ({num})) v(x)
num | stddev(x) FROM (VALUES ({num}), ({num}), ({num})) v(x)
num | variance(x) FROM (VALUES ({num}), ({num}), ({num})) v(x)
float8 | round(avg(x))::float8 FROM (VALUES ({int}), ({int}), ({n}), ({n})) v(x)
float8 | round(avg(x) * {n} / 4 + 0.5)::float8 FROM (VALUES ({n}), ({n}), ({n}), ({n})) v(x)
float8 | round(a)::float8 FROM (SELECT avg(x) AS a FROM (VALUES ({n}), ({n})) v(x) UNION ALL SELECT {n}) s ORDER BY a LIMIT 1
int8 | avg(x)::bigint FROM (VALUES ({n}), ({int})) v(x)
int8 | coalesce(avg(x) / 2, {n})::bigint FROM (VALUES ({n}), ({n})) v(x)
text | to_char(avg(x), {numtmpl}) FROM (VALUES ({n}), ({n}), ({n}), ({n})) v(x)
iv | avg(x) FROM (VALUES ({iv}), ({iv})) v(x)
iv | sum(x) FROM (VALUES ({iv}), ({iv})) v(x)
text | pg_typeof(CASE WHEN true THEN {any} ELSE {any} END)::text
text | pg_typeof(coalesce({any}, {any}))::text
text | pg_typeof(greatest({any}, {any}))::text
text | pg_typeof(ARRAY[{any}, {any}])::text
text | pg_typeof({any} + {any})::text
text | pg_typeof({any} - {any})::text
text | pg_typeof({any} * {any})::text
text | pg_typeof({any} || {any})::text
text | (SELECT pg_typeof(x)::text FROM (SELECT {any} UNION ALL SELECT {any}) v(x) LIMIT 1)
text | (SELECT pg_typeof(x)::text FROM (VALUES ({any}), ({any})) v(x) LIMIT 1)
"""

EXTRA = {
    "unit": ["'microseconds'", "'ms'", "'second'", "'minute'", "'hour'", "'day'", "'week'", "'month'", "'quarter'",
             "'year'", "'decade'", "'century'", "'millennium'"],
    "field": ["microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year",
              "decade", "century", "millennium", "dow", "isodow", "doy", "epoch", "isoyear", "julian", "foo"],
    "day": ["TIMESTAMP(6) '2015-06-01 04:05'", "TIMESTAMP(6) '1999-12-31 23:59:59.999999'", "TIMESTAMP(6) '2016-02-29'",
            "TIMESTAMP(6) '1957-06-13'"],
    "ident": ["'a'", "'foo_1'", "'1a'", "'a b'", "'select'", "'a\"b'", "NULL::text"],
    "numtmpl": [f"'{t}'" for t in ("999", "9990.99", "FM999.99", "000.00", "S999.9", "9,999.99", "999PR", "9.9EEEE",
                                   "FM9G999D00", "99V99", "$999", "MI999", "L99", "")],
    "timetmpl": [f"'{t}'" for t in ("YYYY-MM-DD HH24:MI:SS.US", "Day, DD Month YYYY", "FMDay, FMDD FMMonth", "DDD WW IW ID",
                                    "HH12:MI AM", "J Q CC", "YY Y,YYY BC", "Dy DDth Mon", "MS SSSS TZH")],
}


# Casts that only Dendro has.
NUMBERS = {"int2", "int", "int8", "float4", "float8", "num"}
OURS = ({(a, "stamp") for a in NUMBERS} | {("stamp", a) for a in NUMBERS} | {("tz", a) for a in NUMBERS} |
        {("float4", "num"), ("float8", "num")} |  # NUMERIC has no infinity
        {("bytes", "bits"), ("stamp", "timetz"), ("text", "timetz"), ("text", "time")} |  # '10' is ten o'clock
        {("uuid", "iv")} |  # a bare one in braces is read as no time at all
        {("bool", a) for a in NUMBERS if a != "int"} | {(a, "bool") for a in NUMBERS if a != "int"})


# What cannot be: a call of which nothing is known, a text that is no value and too big at that.
SAME_STATE = {("42804", "42883"), ("42883", "42804"), ("42804", "42846"), ("22P02", "22003"), ("22007", "22015"), ("22007", "22008"),
              ("22007", "42883"), ("42883", "22P02"), ("22007", "22023"),
              ("22007", "22009")}


class Values:
    def __init__(self, rng):
        self.rng = rng
        self.forms, whole = {}, []
        for line in FORMS.strip().split("\n"):
            kind, form = line.split(" | ", 1)
            if " FROM (VALUES" in form:
                whole.append((kind, form))  # nothing that stands within another
            else:
                self.forms.setdefault(kind, []).append(form)
        self.all = [(k, f) for k, forms in self.forms.items() for f in forms] + whole

    def literal(self, kind):
        r = self.rng
        if kind in EXTRA:
            return r.choice(EXTRA[kind])
        if kind == "n":
            return r.choice(LITERALS["n"].split("|"))
        text = r.choice(LITERALS[kind].split("|"))
        if r.randrange(15) == 0:
            return f"NULL::{TYPES[kind]}" if r.randrange(3) else "NULL"
        if kind == "int" and r.randrange(2):
            return f"({text})"
        if kind == "num" and r.randrange(2) and "." in text:
            return f"({text})"
        text = "'" + text.replace("'", "''") + "'"
        return text if kind not in NUMBERS | {"timetz"} and r.randrange(8) == 0 else f"{text}::{TYPES[kind]}"

    def expr(self, kind, depth):
        forms = self.forms.get(kind)
        if depth <= 0 or not forms or self.rng.randrange(3) == 0:
            return self.literal(kind)
        return self.fill(self.rng.choice(forms), depth - 1)

    def fill(self, form, depth):
        state = {}

        def part(match):
            kind = match.group(1)
            if kind == "any":
                kind = state["any"] = self.rng.choice(list(TYPES))
            elif kind == "shown":  # not what each shows in its own way
                kind = self.rng.choice([k for k in TYPES if k not in ("stamp", "bytes", "float4", "float8")])
            elif kind == "same":
                kind = state.get("any") or "int"
            return self.expr(kind, depth)
        return re.sub(r"\{([a-z0-9]+)\}", part, form)

    def statement(self):
        """(kind of the result, the statement)"""
        r = self.rng
        pick = r.randrange(10)
        if pick < 2:  # a cast
            kind, source = r.choice(list(TYPES)), r.choice(list(TYPES))
            if (source, kind) in OURS:
                source = kind
            if source == "text":  # what functions make of texts is rarely a value of a type
                return kind, f"SELECT CAST({self.literal(source)} AS {TYPES[kind]})"
            return kind, f"SELECT CAST({self.expr(source, 1)} AS {TYPES[kind]})"
        if pick < 3:  # a value as text
            kind = r.choice(list(TYPES))
            return "text of " + kind, f"SELECT ({self.expr(kind, 2)})::text"
        kind, form = r.choice(self.all)
        depth = 0 if " FROM (VALUES" in form else r.randrange(3)  # sums of long quotients have more than 38 digits
        return kind, f"SELECT {self.fill(form, depth)}"


def _spelled(text):
    """One spelling for time stamps and bytes."""
    text = compare.years(text)
    text = re.sub(r"(\d{4,}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00)?",
                  lambda m: f"{m[1]} {m[2]}" + (f".{m[3].rstrip('0')}" if (m[3] or "").strip("0") else ""), text)
    return re.sub(r"\\+x((?:[0-9a-f]{2})*)", r"0x\1", text)


def difference(kind, a, b):
    """None, or what differs."""
    if a.sqlstate or b.sqlstate:
        if a.sqlstate == b.sqlstate or (a.sqlstate, b.sqlstate) in compare.SAME_STATE | SAME_STATE:
            return None
        if b.sqlstate == "42725" or b.sqlstate == "42883":
            return None  # of several that fit, Dendro takes one; and it has some more
        if a.sqlstate == "22007" and "{" in a.message:
            return None  # in times PostgreSQL passes over signs that mean nothing
        if a.sqlstate in ("22008", "22023") and b.rows in ([[None]], [["infinity"]], [["-infinity"]]):
            return None  # PostgreSQL knows that it is NULL or infinite before it looks at all of it
        if a.sqlstate:
            return f"Dendro fails with {a.sqlstate} {a.message}, PostgreSQL: {b.sqlstate or b.rows}"
        return f"PostgreSQL fails with {b.sqlstate}, Dendro gives {a.rows}"
    if len(a.rows) != len(b.rows):
        return f"{len(a.rows)} rows, PostgreSQL has {len(b.rows)}"
    for x, y in zip(a.rows, b.rows):
        v, w = x[0], y[0]
        if v is None or w is None:
            same = v is w
        elif kind == "float4":  # where two texts are as near, either may be shown
            same = v == w or abs(float(v) - float(w)) <= 1e-6 * abs(float(w))
        elif kind == "float8":
            same = compare.same_value("float", v, w)
        elif kind == "bool":
            same = v[0] == w[0]
        else:
            same = _spelled(v) == _spelled(w)
        if not same:
            return f"{v!r}, PostgreSQL has {w!r}"
    return None
