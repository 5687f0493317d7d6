#include "sim/kinds/block_forms.h"

namespace sim {

BlockForms::BlockForms(std::shared_ptr<const Program> own, const Launch& launch)
    : own_(std::move(own)), grid_(launch.grid), code_{*own_}, table_(grid_, own_->cluster), uniform_(code_, launch),
      forms_(code_, uniform_, launch, table_), slice_(code_, uniform_), dependences_(code_, forms_, slice_) {}

base::Result<std::shared_ptr<BlockForms>> BlockForms::of(const Program& program, const Launch& launch) {
    const auto unsuitable = [](const base::Sentence& why) {
        return base::Error{base::Failure::missing, base::say("no block can stand for another: {}", why), {}, {}};
    };
    auto forms = std::make_shared<BlockForms>(program.with_own_rows(), launch);
    if (const base::Sentence& why = forms->dependences_.why(); !why.empty()) return unsuitable(why);
    if (!forms->uniform_.compute(forms->table_.variables()))
        return unsuitable(base::say("the grid is too large to compute for each block what its index is turned into"));
    forms->program_ = forms->dependences_.watch(program);
    return forms;
}

Likeness BlockForms::like(base::Dim3 like, std::span<const PathCondition> told) {
    Likeness found(table_, grid_, own_->cluster, like);
    for (size_t rank = 0; rank < told.size(); ++rank) {
        const std::vector<Bounds> bounds = BlockBounds(code_, forms_, dependences_, table_).find(told[rank]);
        for (Form form = 1; form < bounds.size(); ++form)
            if (!bounds[form].always()) found.require(form, bounds[form], base::position(rank, own_->cluster));
    }
    return found;
}

} // namespace sim
