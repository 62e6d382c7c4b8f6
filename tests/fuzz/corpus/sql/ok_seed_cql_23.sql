insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(1, 201302, '2013-02-20T10:58:35+1300', 1230, 11, true);
