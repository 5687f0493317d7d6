#define LANES_SELECT select_avx512
#define LANES_VECTORS vectors_avx512
#include "sim/lanes/lanes.inc"
