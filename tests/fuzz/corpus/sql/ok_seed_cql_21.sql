insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(2, 201301, '2013-01-20T10:58:40+1300', 456, 20, false);
