insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(1, 201301, '2013-01-20T10:58:35+1300', 123, 10, false);
