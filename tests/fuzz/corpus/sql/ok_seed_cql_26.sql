select * from events;
