insert into events 
(device_id, year_month, sequence, pressure, temperature, is_dam_dirty_apes)
values
(3, 201301, '2013-01-20T10:58:45+1300', 789, 30, true);
