#define LANES_SELECT select_avx2
#include "sim/lanes.inc"
