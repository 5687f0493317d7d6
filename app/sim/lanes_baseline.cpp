#define LANES_SELECT select_baseline
#include "sim/lanes.inc"
