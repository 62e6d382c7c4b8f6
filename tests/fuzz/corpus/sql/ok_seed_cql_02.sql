create table foo (
    bar     int, 
    baz     int,
    PRIMARY KEY (bar)
);
