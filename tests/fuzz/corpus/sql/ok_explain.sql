CREATE TABLE geo (
    region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT NULL, weather VARCHAR, temperature DOUBLE,
    PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time)
);
INSERT INTO geo VALUES
  ('r', 'a', '2020-01-01T00:00Z', 'x', 1),
  ('r', 'a', '2020-01-01T00:05Z', 'x', 1.5),
  ('r', 'b', '2020-01-01T00:20Z', 'y', 2),
  ('r', 'a', '2020-01-02T00:00Z', 'x', 3),
  ('r', 'a', '2020-01-03T00:00Z', 'z', 4),
  ('q', 'a', '2020-01-03T10:00Z', 'z', 5);
SELECT count(*) FROM geo;
SELECT count(*) FROM geo;
