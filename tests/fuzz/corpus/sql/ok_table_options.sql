CREATE TABLE default_slab (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 7, 'h')), t));
SHOW TABLE STATUS default_slab;
CREATE TABLE with_time (a INT, t TIMESTAMP, v INT, PRIMARY KEY (a, t)) WITH (time = 't', quantum = '1 day', slab = '7d');
DESCRIBE with_time;
SHOW CREATE TABLE with_time;
INSERT INTO with_time VALUES (3, '2020-01-01', 1), (1, '2020-01-02', 2), (1, '2020-01-01', 3), (3, '2020-01-02', 4);
SELECT * FROM with_time;
CREATE TABLE theirs (a INT PRIMARY KEY)
WITH n_val = 3 AND compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_size': 1}
AND gc_grace_seconds = 864000 AND default_time_to_live = 0 AND partition_split_threshold = 1000000 AND comment = 'it''s kept';
SHOW CREATE TABLE theirs;
CREATE TABLE spread (t TIMESTAMP PRIMARY KEY, v INT) WITH (spread = 16);
DROP TABLE default_slab; DROP TABLE with_time; DROP TABLE theirs; DROP TABLE spread;
SHOW TABLES;
