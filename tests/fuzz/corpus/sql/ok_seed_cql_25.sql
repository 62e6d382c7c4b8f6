insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(3, 201302, '2013-02-20T10:58:45+1300', 7890, 31, true);
