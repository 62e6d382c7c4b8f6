# SPDX-License-Identifier: Apache-2.0
"""tpch: orders, parts and customers of our own generator in the shape of TPC-H, its 22 questions with fixed parameters, with
primary keys and without."""
from ask import Set, ask_all, geomean, ratios, row
from tables import Table

NAME = "tpch"
FACTORS = {"quick": [0.01], "small": [0.1], "full": [0.1, 1]}

COLUMNS = {  # table: columns, key, further indexes
    "lineitem": ("l_orderkey:bigint l_partkey:bigint l_suppkey:bigint l_linenumber:int l_quantity:money l_extendedprice:money l_discount:money "
                 "l_tax:money l_returnflag:tag l_linestatus:tag l_shipdate:date l_commitdate:date l_receiptdate:date l_shipinstruct:tag "
                 "l_shipmode:tag l_comment:text", "l_orderkey l_linenumber", ["(l_partkey, l_suppkey)", "(l_shipdate)"]),
    "orders": ("o_orderkey:bigint o_custkey:bigint o_orderstatus:tag o_totalprice:money o_orderdate:date o_orderpriority:tag o_clerk:text "
               "o_shippriority:int o_comment:text", "o_orderkey", ["(o_custkey)", "(o_orderdate)"]),
    "customer": ("c_custkey:bigint c_name:text c_address:text c_nationkey:int c_phone:text c_acctbal:money c_mktsegment:tag c_comment:text",
                 "c_custkey", ["(c_nationkey)"]),
    "part": ("p_partkey:bigint p_name:text p_mfgr:tag p_brand:tag p_type:tag p_size:int p_container:tag p_retailprice:money p_comment:text",
             "p_partkey", []),
    "partsupp": ("ps_partkey:bigint ps_suppkey:bigint ps_availqty:int ps_supplycost:money ps_comment:text", "ps_partkey ps_suppkey", ["(ps_suppkey)"]),
    "supplier": ("s_suppkey:bigint s_name:text s_address:text s_nationkey:int s_phone:text s_acctbal:money s_comment:text", "s_suppkey",
                 ["(s_nationkey)"]),
    "nation": ("n_nationkey:int n_name:tag n_regionkey:int n_comment:text", "n_nationkey", []),
    "region": ("r_regionkey:int r_name:tag r_comment:text", "r_regionkey", []),
}

REVENUE = "l_extendedprice * (1 - l_discount)"

# The questions, in our words: dates are written out, so that no dialect adds intervals; ties are broken.
QUERIES = {
    "q1": f"""SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base, sum({REVENUE}) AS sum_disc,
        sum({REVENUE} * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
        count(*) AS n FROM lineitem WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "q2": """SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
        FROM part, supplier, partsupp, nation, region WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15
        AND p_type LIKE '%BRASS' AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE' AND ps_supplycost =
        (SELECT min(ps_supplycost) FROM partsupp, supplier, nation, region WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey
        AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
        ORDER BY s_acctbal DESC, n_name, s_name, p_partkey LIMIT 100""",
    "q3": f"""SELECT l_orderkey, sum({REVENUE}) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < DATE '1995-03-15'
        AND l_shipdate > DATE '1995-03-15' GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10""",
    "q4": """SELECT o_orderpriority, count(*) AS n FROM orders WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01'
        AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
        GROUP BY o_orderpriority ORDER BY o_orderpriority""",
    "q5": f"""SELECT n_name, sum({REVENUE}) AS revenue FROM customer, orders, lineitem, supplier, nation, region
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
        AND n_regionkey = r_regionkey AND r_name = 'ASIA' AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
        GROUP BY n_name ORDER BY revenue DESC""",
    "q6": """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
        AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    "q7": f"""SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue FROM (SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation,
        EXTRACT(year FROM l_shipdate) AS l_year, {REVENUE} AS volume FROM supplier, lineitem, orders, customer, nation n1, nation n2
        WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
        AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
        AND l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31') AS shipping
        GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year""",
    "q8": f"""SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS share FROM
        (SELECT EXTRACT(year FROM o_orderdate) AS o_year, CAST({REVENUE} AS double precision) AS volume, n2.n_name AS nation
        FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey
        AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
        AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31' AND p_type = 'ECONOMY ANODIZED STEEL')
        AS all_nations GROUP BY o_year ORDER BY o_year""",
    "q9": f"""SELECT nation, o_year, sum(amount) AS profit FROM (SELECT n_name AS nation, EXTRACT(year FROM o_orderdate) AS o_year,
        {REVENUE} - ps_supplycost * l_quantity AS amount FROM part, supplier, lineitem, partsupp, orders, nation WHERE s_suppkey = l_suppkey
        AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey
        AND p_name LIKE '%green%') AS profit GROUP BY nation, o_year ORDER BY nation, o_year DESC""",
    "q10": f"""SELECT c_custkey, c_name, sum({REVENUE}) AS revenue, c_acctbal, n_name, c_address, c_phone, c_comment
        FROM customer, orders, lineitem, nation WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
        AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
        GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment ORDER BY revenue DESC, c_custkey LIMIT 20""",
    "q11": """SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey
        AND s_nationkey = n_nationkey AND n_name = 'GERMANY' GROUP BY ps_partkey HAVING sum(ps_supplycost * ps_availqty) >
        (SELECT sum(ps_supplycost * ps_availqty) * {SHARE} FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey
        AND n_name = 'GERMANY') ORDER BY value DESC, ps_partkey""",
    "q12": """SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
        sum(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low FROM orders, lineitem
        WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate
        AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1995-01-01' GROUP BY l_shipmode ORDER BY l_shipmode""",
    "q13": """SELECT c_count, count(*) AS custdist FROM (SELECT c_custkey, count(o_orderkey) AS c_count FROM customer LEFT JOIN orders
        ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c_orders
        GROUP BY c_count ORDER BY custdist DESC, c_count DESC""",
    "q14": f"""SELECT 100.00 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN CAST({REVENUE} AS double precision) ELSE 0 END)
        / sum(CAST({REVENUE} AS double precision)) AS promo FROM lineitem, part WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01'
        AND l_shipdate < DATE '1995-10-01'""",
    "q15": f"""WITH revenue AS (SELECT l_suppkey AS supplier_no, sum({REVENUE}) AS total FROM lineitem WHERE l_shipdate >= DATE '1996-01-01'
        AND l_shipdate < DATE '1996-04-01' GROUP BY l_suppkey) SELECT s_suppkey, s_name, s_address, s_phone, total FROM supplier, revenue
        WHERE s_suppkey = supplier_no AND total = (SELECT max(total) FROM revenue) ORDER BY s_suppkey""",
    "q16": """SELECT p_brand, p_type, p_size, count(DISTINCT ps_suppkey) AS n FROM partsupp, part WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45'
        AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9) AND ps_suppkey NOT IN
        (SELECT s_suppkey FROM supplier WHERE s_comment LIKE '%Customer%Complaints%') GROUP BY p_brand, p_type, p_size
        ORDER BY n DESC, p_brand, p_type, p_size""",
    "q17": """SELECT sum(l_extendedprice) / 7.0 AS yearly FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23'
        AND p_container = 'MED BOX' AND l_quantity < (SELECT 0.2 * avg(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)""",
    "q18": """SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity FROM customer, orders, lineitem
        WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300) AND c_custkey = o_custkey
        AND o_orderkey = l_orderkey GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
        ORDER BY o_totalprice DESC, o_orderdate, o_orderkey LIMIT 100""",
    "q19": f"""SELECT sum({REVENUE}) AS revenue FROM lineitem, part WHERE p_partkey = l_partkey AND l_shipmode IN ('AIR', 'REG AIR')
        AND l_shipinstruct = 'DELIVER IN PERSON' AND ((p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
        AND l_quantity >= 1 AND l_quantity <= 11 AND p_size BETWEEN 1 AND 5) OR (p_brand = 'Brand#23'
        AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND l_quantity >= 10 AND l_quantity <= 20 AND p_size BETWEEN 1 AND 10)
        OR (p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l_quantity >= 20 AND l_quantity <= 30
        AND p_size BETWEEN 1 AND 15))""",
    "q20": """SELECT s_name, s_address FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN
        (SELECT p_partkey FROM part WHERE p_name LIKE 'forest%') AND ps_availqty > (SELECT 0.5 * sum(l_quantity) FROM lineitem
        WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey AND l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'))
        AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name""",
    "q21": """SELECT s_name, count(*) AS numwait FROM supplier, lineitem l1, orders, nation WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey
        AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey
        AND l2.l_suppkey <> l1.l_suppkey) AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey
        AND l3.l_suppkey <> l1.l_suppkey AND l3.l_receiptdate > l3.l_commitdate) AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA'
        GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100""",
    "q22": """SELECT cntrycode, count(*) AS numcust, sum(c_acctbal) AS total FROM (SELECT substring(c_phone, 1, 2) AS cntrycode, c_acctbal FROM customer
        WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT avg(c_acctbal) FROM customer
        WHERE c_acctbal > 0.00 AND substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
        AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale GROUP BY cntrycode ORDER BY cntrycode""",
}


def rows(factor):
    # A part of the stock that goes down as the stock goes up.
    return [row(name, text.replace("{SHARE}", f"{0.0001 / factor:.10f}".rstrip("0"))) for name, text in QUERIES.items()]


def table_of(name, keys):
    columns, key, indexes = COLUMNS[name]
    columns = [tuple(c.split(":")) for c in columns.split()]
    key = key.split()
    primary = f"PRIMARY KEY ({', '.join(key)})"
    return Table(name, columns, key=primary if keys else None, not_null=key if keys else (), order=key if keys else (),
                 indexes=[primary] + indexes if keys else ["(" + ", ".join(key) + ")"] + indexes)


def run(context):
    figures, parts = {}, []
    for factor in FACTORS[context.scale]:
        for variant in ("keys", "none"):
            sources = {t: ["gen_tpch", t, "--sf", str(factor), "--seed", str(context.seed or 1)] for t in COLUMNS}
            data = Set(context, f"tpch-{factor}-{variant}", [table_of(t, variant == "keys") for t in COLUMNS], sources)
            loads, answers, versions = ask_all(context, data, rows(factor), context.only, leave=("questdb",))
            known = ratios(answers)
            # The largest factor is the one that is judged; it comes last.
            figures[f"{variant}: geomean"], figures[f"{variant}: worst"] = geomean(known.values()), max(known.values(), default=None)
            parts.append({"name": f"SF {factor}, {variant}", "rows": answers, "load": loads, "versions": versions})
    return figures, parts
