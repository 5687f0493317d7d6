#define LANES_SELECT select_avx2
#define LANES_VECTORS vectors_avx2
#include "sim/lanes/lanes.inc"
