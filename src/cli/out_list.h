/* SPDX-License-Identifier: Apache-2.0
 *
 * out_list.h: DN_OUT(NAME, name, ending, ops, what it is). Files of the format may be called by its
 * name (x.markdown) or by the other ending (x.md), "" = there is none. */

/* clang-format off */
DN_OUT(TABLE,    "table",    "",       out_table_ops,    "boxes, numbers right-aligned (default)")
DN_OUT(CSV,      "csv",      "",       out_csv_ops,      "comma separated, RFC 4180, with a header line")
DN_OUT(TSV,      "tsv",      "tab",    out_tsv_ops,      "tab separated, backslash escapes, NULL as \\N")
DN_OUT(JSON,     "json",     "",       out_json_ops,     "one array of objects")
DN_OUT(JSONL,    "jsonl",    "ndjson", out_jsonl_ops,    "one object a line")
DN_OUT(MARKDOWN, "markdown", "md",     out_markdown_ops, "a Markdown table")
DN_OUT(VERTICAL, "vertical", "",       out_vertical_ops, "one column a line")
/* clang-format on */
