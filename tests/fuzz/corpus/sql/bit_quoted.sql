SELECT a::"bit", a::bit, a::"char", a::bpchar;
