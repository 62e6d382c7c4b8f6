SELECT * FROM ascending_table WHERE a = 1 AND b >= 1 AND b <= 5;
