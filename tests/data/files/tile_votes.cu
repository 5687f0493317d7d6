// Tiles of a warp vote, match and add up, each by itself: every tile of eight lanes names another mask.
// trace: --block 64 --arg in:u32[64]%8 --arg out:u32[8]
// expect: block_sum 0 1 8
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void tile_votes(const unsigned* in, unsigned* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const unsigned v = in[threadIdx.x];
    unsigned by_votes = 0;
    for (int bit = 0; bit < 3; ++bit) by_votes += __popc(tile.ballot(v >> bit & 1)) << bit;
    const unsigned sum = cg::reduce(tile, v, cg::plus<unsigned>());
    const bool found_itself = tile.match_any(v) >> tile.thread_rank() & 1;
    const bool agreed = tile.all(sum == by_votes && found_itself) && !tile.any(sum != by_votes);
    if (tile.thread_rank() == 0) out[threadIdx.x / 8] = agreed ? sum : ~0u;
}
