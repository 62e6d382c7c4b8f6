select E'\u12';
select 0xABC;
select a FORM t;
select "x;
update t set a = 1;