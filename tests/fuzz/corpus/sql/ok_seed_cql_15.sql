INSERT INTO device_check
  (device_id, checked_at, is_power, is_locked)
values
  (2, '2013-02-01T09:10+1300', true, false)
;
