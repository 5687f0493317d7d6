#include "sim/program/passes.h"

#include <algorithm>

namespace sim {

std::shared_ptr<const Program> finish(std::shared_ptr<const Draft> draft, Rows rows) {
    auto program = std::make_shared<Program>(draft->program);
    auto listing = std::make_shared<trace::Listing>(*draft->listing);
    const Graph graph = graph_of(program->operations, program->tables);
    Assembly a{*draft, *program, *listing, graph};
    find_reconvergence(a);
    order_branches(a);
    find_spaces(a);
    find_origins(a);
    sum_up_accesses(a);
    count_flop(a);
    find_blind_atomics(a);
    find_patterns(a);
    track_unassigned(a);
    find_sure_uses(a);
    guard_accumulators(a);
    find_unfinished_reads(a);
    place_rows(a, rows);
    watch_unfinished_reads(a);
    program->listing = std::move(listing);
    program->draft = std::move(draft);
    return program;
}

std::shared_ptr<const Program> Program::with_own_rows() const {
    std::call_once(own_rows_.once, [&] { own_rows_.made = finish(draft, Rows::own); });
    return own_rows_.made;
}

} // namespace sim
