#define LANES_SELECT select_avx512
#include "sim/lanes.inc"
