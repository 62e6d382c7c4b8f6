INSERT INTO device 
(device_id)
values
(2);
