#include "sim/block_context.h"

#include "sim/cluster.h"

namespace sim {

BlockContext::BlockContext(Run& of, Cluster& in, uint32_t its_rank)
    : run(of), program(of.program), cluster(in), effort(in.effort), rank(its_rank),
      warps((of.launch.block.count() + trace::warp_size - 1) / trace::warp_size) {}

} // namespace sim
