column_name data_type [NOT NULL],
