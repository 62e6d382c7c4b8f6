create table foo (
    bar     int PRIMARY KEY, 
    baz     int
);
