((region, state, QUANTUM(time, 15, 'm')), region, state, time, weather)
