#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of this directory, and those of the fuzz target's corpus, with pyarrow (here: 26.0):

    pip install pyarrow numpy && tests/golden/parquet/make.py

They are kept, so that the tests need neither. expect.jsonl has the rows of all.parquet and its sisters, a
line each, as Dendro prints them: written here, from the values that pyarrow was given."""
import datetime as dt
import decimal
import json
import os

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "../../fuzz/corpus/parquet")
ROWS = 90
DAY = dt.datetime(2024, 1, 1)


def column(make, kind, nulls=True):
    return pa.array([None if nulls and i % 7 == 3 else make(i) for i in range(ROWS)], kind)


def decimals(div):
    return lambda i: decimal.Decimal(i - ROWS // 2) / div


TABLE = pa.table({
    "i8": column(lambda i: i - 50, pa.int8()),
    "u8": column(lambda i: 255 - i, pa.uint8()),
    "i16": column(lambda i: i * 300 - 7000, pa.int16()),
    "u16": column(lambda i: 65535 - i, pa.uint16()),
    "i32": column(lambda i: -2**31 + i * 40000000, pa.int32()),
    "u32": column(lambda i: 2**32 - 1 - i, pa.uint32()),
    "i64": column(lambda i: -2**63 + i * 2**57 + i, pa.int64()),
    "u64": column(lambda i: 2**64 - 1 - i, pa.uint64()),
    "f16": pa.array(numpy.array([i / 8 for i in range(ROWS)], dtype="float16")),
    "f32": column(lambda i: i / 4, pa.float32()),
    "f64": column(lambda i: i / 7, pa.float64()),
    "yes": column(lambda i: i % 3 == 0, pa.bool_()),
    "tag": column(lambda i: f"sensor-{i % 5}", pa.string()),
    "text": column(lambda i: f"wörter {'x' * (i % 9)} {i}", pa.string(), nulls=False),
    "bytes": column(lambda i: bytes([i, 0, 255]), pa.binary()),
    "fixed": column(lambda i: bytes([i] * 4), pa.binary(4)),
    "day": column(lambda i: (DAY + dt.timedelta(days=i * 31)).date(), pa.date32()),
    "t_ms": column(lambda i: dt.time(i % 24, i % 60, 7, 1000 * i), pa.time32("ms")),
    "t_us": column(lambda i: dt.time(i % 24, i % 60, 7, i), pa.time64("us")),
    "ms": column(lambda i: DAY + dt.timedelta(milliseconds=i * 37), pa.timestamp("ms", tz="UTC")),
    "us": column(lambda i: DAY + dt.timedelta(microseconds=i * 37), pa.timestamp("us")),
    "ns": column(lambda i: 1704067200000000000 + i, pa.timestamp("ns")),
    "dec9": column(decimals(100), pa.decimal128(9, 2)),
    "dec18": column(decimals(1000), pa.decimal128(18, 3)),
    "dec38": column(lambda i: decimal.Decimal(10)**30 + decimal.Decimal(i) / 10, pa.decimal128(38, 1)),
})
DIGITS = {"ms": 3, "us": 6, "ns": 9}


def shown(name, value):
    """As a line of JSON has it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f")[:20 + min(DIGITS[name], 6)]
    if isinstance(value, dt.time):
        return value.strftime("%H:%M:%S.%f")
    return str(value)


def write(name, table=TABLE, where=HERE, **options):
    options.setdefault("row_group_size", 40)
    options.setdefault("compression", "zstd")
    pq.write_table(table, os.path.join(where, name + ".parquet"), store_schema=False, **options)


def rows():
    columns = {n: TABLE[n].to_pylist() for n in TABLE.column_names if n != "ns"}
    columns["ns"] = [None if v is None else f"2024-01-01T00:00:00.{v % 10**9:09d}"
                     for v in TABLE["ns"].cast(pa.int64()).to_pylist()]
    return [{n: shown(n, columns[n][i]) for n in TABLE.column_names} for i in range(ROWS)]


write("all", compression="none")
write("snappy", compression="snappy", data_page_size=200)
write("gzip", compression="gzip")
write("lz4", compression="lz4")
write("v2", data_page_version="2.0", data_page_size=200, write_page_checksum=True)
write("plain", use_dictionary=False, compression="snappy")
write("integer_decimals", store_decimal_as_integer=True)
write("int96", TABLE.select(["tag", "ms", "us", "ns"]), use_deprecated_int96_timestamps=True)
NUMBERS = TABLE.select(["i8", "i32", "u32", "i64", "f32", "f64", "day", "t_ms", "t_us", "ms", "us", "ns"])
write("delta", NUMBERS, use_dictionary=False, column_encoding={
    n: "BYTE_STREAM_SPLIT" if n in ("f32", "f64", "t_ms", "day") else "DELTA_BINARY_PACKED"
    for n in NUMBERS.column_names})
TEXTS = TABLE.select(["tag", "text", "bytes", "fixed", "f16", "dec38"])
write("texts", TEXTS, use_dictionary=False, data_page_size=200, column_encoding={
    "tag": "DELTA_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY", "bytes": "DELTA_BYTE_ARRAY",
    "fixed": "BYTE_STREAM_SPLIT", "f16": "BYTE_STREAM_SPLIT", "dec38": "DELTA_BYTE_ARRAY"})
write("nested", pa.table({
    "a": [1, 2], "list": [[1, 2], [3]], "struct": [{"x": 1, "y": "q"}, {"x": 2, "y": "r"}],
    "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())), "z": ["p", "q"]}))
write("none", TABLE.slice(0, 0))
with open(os.path.join(HERE, "expect.jsonl"), "w", encoding="utf-8") as f:
    for row in rows():
        f.write(json.dumps(row, ensure_ascii=False) + "\n")

SMALL = TABLE.slice(0, 20)
write("one", SMALL.select(["i32", "f64", "tag"]), CORPUS, compression="none")
write("packed", SMALL.select(["ms", "text"]), CORPUS, compression="snappy")
write("v2", SMALL.select(["yes", "dec38", "u64"]), CORPUS, compression="gzip", data_page_version="2.0")
write("texts", SMALL.select(["tag", "text"]), CORPUS, compression="none", use_dictionary=False, column_encoding={
    "tag": "DELTA_BYTE_ARRAY", "text": "DELTA_LENGTH_BYTE_ARRAY"})
write("numbers", SMALL.select(["i64", "f32"]), CORPUS, compression="lz4", use_dictionary=False, column_encoding={
    "i64": "DELTA_BINARY_PACKED", "f32": "BYTE_STREAM_SPLIT"})
write("bare", SMALL.select(["i64", "fixed"]), CORPUS, compression="none", use_dictionary=False, column_encoding={
    "i64": "DELTA_BINARY_PACKED", "fixed": "PLAIN"})
