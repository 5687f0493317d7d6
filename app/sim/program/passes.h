// What finish() does to a program, one step after the other. Each pass is a file of its own.
#pragma once

#include "sim/program/draft.h"
#include "sim/program/flow.h"

namespace sim {

struct Assembly { // a program that is being finished
    const Draft& draft;
    Program& program;
    trace::Listing& listing;
    const Graph& graph;            // of the operations; no pass adds or moves any
    std::vector<RowAt> place = {}; // of each register in the warp's file, by place_rows()
};

// Operation::reconverge of branches: the immediate post-dominator.
void find_reconvergence(Assembly&);

// Operation::falls_first: of lanes that part, those go first that need not wait for any others before they meet again. So lanes that work
// a little and return have exited when the others come to a barrier.
void order_branches(Assembly&);

// The spaces of generic addresses in the listing, where the program shows them.
void find_spaces(Assembly&);

// Operation::shared_array, and what global memory the kernel may write to.
void find_origins(Assembly&);

// Program::shared_element_bytes, writes_to_cluster and strengths.
void sum_up_accesses(Assembly&);

// trace::Instruction::flop.
void count_flop(Assembly&);

// Program::blind.
void find_blind_atomics(Assembly&);

// Operation::pattern, follows and beyond.
void find_patterns(Assembly&);

// Operation::tracked and Program::tracked: operations that may read registers which nothing has written.
void track_unassigned(Assembly&);

// Program::unsure_elements.
void find_sure_uses(Assembly&);

// Program::accumulator_uses: operations that touch a register of a warpgroup's product.
void guard_accumulators(Assembly&);

// Operation::watched and Program::watched: reads that a bulk copy may overtake. Once nobody looks at the handlers any more,
// watch_unfinished_reads() puts the handlers there that look first.
void find_unfinished_reads(Assembly&);
void watch_unfinished_reads(Assembly&);

// Rows become places in the warp's file; Program::register_bytes.
void place_rows(Assembly&, Rows);

} // namespace sim
