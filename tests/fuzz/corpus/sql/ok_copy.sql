COPY t FROM 'a.csv';
COPY s.t (a, "b c") FROM 'a.csv' WITH (FORMAT csv, HEADER true, DELIMITER ';', NULL 'x');
COPY t TO 'b.csv' (HEADER);
COPY (SELECT a, count(*) FILTER (WHERE b) FROM t GROUP BY time(c, 15m)) TO 'c.csv';
SHOW PARTITIONS s.t;
SET max_subqueries = 5;
SET strict_keys TO DEFAULT;
SELECT position('a' IN (b)), position('a' IN CAST(c AS TEXT)::VARCHAR) FROM t;
