select * from device_check where device_id = 1;
