CREATE TABLE ev.temperature_measurements (
  collected_at    DATETIME,
  sensor_id       STRING,
  temperature     DOUBLE,
  PRIMARY KEY(time, sensor_id)
);
