CREATE TABLE device (
  device_id int,
  PRIMARY KEY (device_id)
);
