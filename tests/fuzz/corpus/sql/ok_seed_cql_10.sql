CREATE TABLE device_check (
  device_id   int,
  checked_at  timestamp, 
  is_power    boolean, 
  is_locked   boolean,
  PRIMARY KEY (device_id, checked_at)
);
