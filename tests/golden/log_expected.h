/* SPDX-License-Identifier: Apache-2.0
 *
 * log_expected.h: the golden chunks in words. One thread at a time. */
#pragma once

/* What the chunk says, by whichever decoder. */
static const char expected[] = "frame epoch 5 first 10\n"
                               " commit 10\n"
                               "  batch table 7 v3 op 0 rowid 0 rows 3\n"
                               "   1:7 'a' 'b' '\\c3\\a4'\n"
                               "   2:9 -1 1000 1700000000000\n"
                               "   3:1 1 0 ~\n"
                               "   4:2 -32768 ~ 32767\n"
                               "   5:3 -2147483648 2147483647 0\n"
                               "   6:4 -9223372036854775808 9223372036854775807 42\n"
                               "   7:5 0.5 -1.5 ~\n"
                               "   8:6 0.1 ~ -2.5e+300\n"
                               "   9:8 '' '\\00\\ff' ~\n"
                               "   10:10 -1 2 3\n"
                               "   11:11 4 ~ 6\n"
                               " commit 11\n"
                               "  batch table 9 v1 op 0 rowid 42 rows 2\n"
                               "   1:2 7 7\n"
                               "   2:7 'word' ~\n"
                               "  batch table 7 v3 op 1 rowid 0 rows 2\n"
                               "   1:7 'a' 'b'\n"
                               "   2:9 5 6\n"
                               "   3:1 1 -\n"
                               "   5:3 ~ ~\n"
                               "frame epoch 5 first 12\n"
                               " commit 12\n"
                               "  batch table 9 v1 op 2 rowid 0 rows 2\n"
                               "   1:2 ~ ~\n"
                               "   2:7 ~ ~\n"
                               "   2147483651:4 42 43\n";

static const char expected_catalog[] =
    "frame epoch 6 first 30\n"
    " commit 30\n"
    "  batch table 0 v0 op 4 rowid 0 rows 0\n"
    "   '{\"format\":2,\"version\":7,\"table_id_next\":10,\"schemas\":[],\"tables\":[]}'\n"
    "  batch table 9 v1 op 2 rowid 0 rows 2\n"
    "   1:2 ~ ~\n"
    "   2:7 ~ ~\n"
    "   2147483651:4 42 43\n";

static const char expected_ranges[] = "frame epoch 6 first 20\n"
                                      " commit 20\n"
                                      "  batch table 7 v3 op 3 rowid 0 rows 0\n"
                                      "   slabs -9223372036854775808 9223372036854775807\n"
                                      "   1:7 15 'a' 'a'\n"
                                      "   2:9 1 -1000\n"
                                      "   6:6 12 0.5\n"
                                      "  batch table 9 v1 op 2 rowid 0 rows 2\n"
                                      "   1:2 ~ ~\n"
                                      "   2:7 ~ ~\n"
                                      "   2147483651:4 42 43\n"
                                      " commit 21\n"
                                      "  batch table 9 v1 op 3 rowid 0 rows 0\n"
                                      "   slabs -86400000 -86400000\n";
