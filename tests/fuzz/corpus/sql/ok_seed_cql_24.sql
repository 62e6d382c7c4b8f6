insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(2, 201302, '2013-02-20T10:58:40+1300', 4560, 21, true);
