select * from device;
