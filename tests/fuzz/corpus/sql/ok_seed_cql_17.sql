select * from device_check;
