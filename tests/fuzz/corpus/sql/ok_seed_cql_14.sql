INSERT INTO device_check
  (device_id, checked_at, is_power, is_locked)
values
  (1, '2013-02-01T09:00+1300', true, false)
;
