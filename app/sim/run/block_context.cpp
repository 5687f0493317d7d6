#include "sim/run/block_context.h"

#include "sim/run/cluster.h"

namespace sim {

BlockContext::BlockContext(Run& of, Cluster& in, uint32_t its_rank)
    : run(of), program(of.program), cluster(in), effort(in.effort), rank(its_rank),
      warps((of.launch.block.count() + trace::warp_size - 1) / trace::warp_size) {}

void BlockContext::reset() {
    const bool watched = cluster.size() > 1 && run.options.checks && program.writes_to_cluster;
    shared.reset(shared_bytes(), watched);
    view = shared.view();
    view.checked = run.options.checks;
    view.own_part = cluster.size() > 1 ? cluster_part(rank) : 0;
    ended = opened = false;
}

} // namespace sim
