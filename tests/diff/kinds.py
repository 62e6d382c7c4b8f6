# SPDX-License-Identifier: Apache-2.0
"""Rules for NUMERIC, TIMETZ, bit strings and arrays of integers (see exprs.py).

Dendro's NUMERIC has 38 digits: products are of columns and literals, so that no result comes near to that."""
from exprs import Expr, rule


# ---- NUMERIC ----

@rule("num", 3)
def num_arithmetic(g, depth):
    op = g.pick("+", "-", "+", "-", "*")
    return g.both("num", "({} " + op + " {})", g.expr("num", 0 if op == "*" else min(depth, 1)), g.expr("num", 0))


@rule("num")
def num_divide(g, depth):
    return g.both("num", "({} " + g.pick("/", "%") + " NULLIF({}, 0))", g.expr("num", 0), g.expr("num", 0))


@rule("num")
def num_mixed(g, depth):
    return g.both("num", "({} " + g.pick("+", "-", "*") + " {})", g.expr("int", 0), g.expr("num", 0))


@rule("num", 2)
def num_one(g, depth):
    form = g.pick("abs({})", "(- {})", "ceil({})", "floor({})", "round({})", "round({}, 1)", "round({}, -1)", "trunc({}, 1)",
                  "trunc({})", "sign({})", "trim_scale({})", "CAST({} AS NUMERIC(20, 3))", "mod({}, 7)", "div({}, 0.3)")
    return g.both("num", form, g.expr("num", depth))


@rule("num")
def num_of_int(g, depth):
    return g.both("num", g.pick("CAST({} AS NUMERIC)", "CAST({} AS NUMERIC(22, 2))", "({} * 0.01)", "({} / 4.0)"), g.expr("int", 0))


@rule("num")
def num_extract(g, depth):
    kind = g.pick("time", "interval")
    field = g.pick("second", "epoch", "day", "milliseconds", "month")
    return g.both("num", f"extract({field} FROM {{}})", g.expr(kind, 0))


@rule("int")
def int_of_num(g, depth):
    form = g.pick("CAST({} AS BIGINT)", "floor({})::bigint", "scale(trim_scale({}))::bigint", "width_bucket({}, 0, 100, 7)::bigint")
    return g.both("int", form, g.both("num", "nullif({}, 'NaN')", g.expr("num", 0)))


@rule("float")
def float_of_num(g, depth):
    x = g.expr("num", depth)
    return Expr("float", f"CAST({x.d} AS DOUBLE)", f"CAST({x.p} AS float8)")


@rule("bool")
def num_and_others(g, depth):
    op = g.pick("=", "<", ">=", "<>")
    return g.both("bool", "({} " + op + " {})", g.expr("num", depth), g.expr(g.pick("int", "float"), 0))


@rule("text")
def text_of_these(g, depth):
    kind = g.pick("num", "timetz", "bits", "ints")
    return g.both("text", "CAST(trim_scale({}) AS TEXT)" if kind == "num" else "CAST({} AS TEXT)", g.expr(kind, depth))


# ---- TIMETZ ----

@rule("timetz", 2)
def timetz_move(g, depth):
    return g.both("timetz", "({} " + g.pick("+", "-") + " {})", g.expr("timetz", depth), g.expr("interval", 0))


@rule("timetz")
def timetz_zone(g, depth):
    return g.both("timetz", "({} AT TIME ZONE " + g.pick("'UTC'", "INTERVAL '-3 hours'", "'+02:30'") + ")", g.expr("timetz", depth))


@rule("float")
def timetz_extract(g, depth):
    x = g.both("float", f"extract({g.pick('hour', 'minute', 'second', 'epoch', 'timezone')} FROM {{}})", g.expr("timetz", depth))
    return Expr("float", f"CAST({x.d} AS DOUBLE)", f"CAST({x.p} AS float8)")


# ---- bit strings ----

@rule("bits", 2)
def bits_join(g, depth):
    return g.both("bits", "({} || {})", g.expr("bits", depth), g.expr("bits", 0))


@rule("bits", 2)
def bits_one(g, depth):
    form = g.pick("(~ {})", "substring({} FROM 2)", "substring({} FROM 1 FOR 2)", "({} << 1)", "({} >> 2)",
                  "overlay({} placing B'11' from 1)")
    return g.both("bits", form, g.expr("bits", depth))


@rule("bits")
def bits_both(g, depth):
    form = "((CAST({} AS BIT(4)) " + g.pick("&", "|", "#") + " CAST({} AS BIT(4)))::bit varying)"
    return g.both("bits", form, g.expr("bits", depth), g.expr("bits", 0))


@rule("int")
def int_of_bits(g, depth):
    form = g.pick("length({})::bigint", "bit_count({})", "octet_length({})::bigint", "position(B'1' IN {})::bigint",
                  "(CAST({} AS BIT(8))::integer)::bigint")
    return g.both("int", form, g.expr("bits", depth))


# ---- arrays ----

@rule("ints", 2)
def ints_join(g, depth):
    return g.both("ints", g.pick("({} || {})", "array_cat({}, {})"), g.expr("ints", depth), g.expr("ints", 0))


@rule("ints", 2)
def ints_add(g, depth):
    form = g.pick("array_append({}, CAST({} AS INTEGER))", "({} || CAST({} AS INTEGER))", "array_remove({}, CAST({} AS INTEGER))",
                  "array_replace({}, CAST({} AS INTEGER), 5)")
    return g.both("ints", form, g.expr("ints", depth), g.expr("int", 0))


@rule("ints")
def ints_cut(g, depth):
    return g.both("ints", g.pick("({})[1:2]", "({})[2:]", "({})[:1]", "({})[0:1]"), g.expr("ints", depth))


@rule("ints")
def ints_made(g, depth):
    return g.both("ints", "ARRAY[CAST({} AS INTEGER), CAST({} AS INTEGER)]", g.expr("int", 0), g.expr("int", 0))


@rule("int")
def int_of_ints(g, depth):
    form = g.pick("({})[1]", "({})[2]", "cardinality({})", "array_length({}, 1)", "array_position({}, 2)", "array_upper({}, 1)",
                  "(SELECT sum(u) FROM unnest({}) AS y (u))")
    return g.both("int", f"({form})::bigint", g.expr("ints", depth))


@rule("bool")
def ints_bool(g, depth):
    form = g.pick("({} @> {})", "({} <@ {})", "({} && {})")
    return g.both("bool", form, g.expr("ints", depth), g.expr("ints", 0))


@rule("bool")
def int_any(g, depth):
    form = g.pick("({} = ANY ({}))", "({} <> ALL ({}))", "({} < ANY ({}))", "({} >= ALL ({}))")
    return g.both("bool", form, g.expr("int", 0), g.expr("ints", depth))
