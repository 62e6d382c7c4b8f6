PRIMARY KEY  ((region, state, QUANTUM(time, 1, 's')), ...)
