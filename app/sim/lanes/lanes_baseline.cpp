#define LANES_SELECT select_baseline
#define LANES_VECTORS vectors_baseline
#include "sim/lanes/lanes.inc"
