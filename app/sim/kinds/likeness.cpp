#include "sim/kinds/likeness.h"

#include <algorithm>

namespace sim {
namespace {

int64_t minus(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

uint32_t& coordinate(base::Dim3& at, int axis) { return axis == 0 ? at.x : axis == 1 ? at.y : at.z; }

} // namespace

Likeness::Likeness(const FormTable& table, base::Dim3 grid, base::Dim3 cluster, base::Dim3 like)
    : table_(table), shape_(cluster), clusters_{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z},
      like_{like.x / cluster.x, like.y / cluster.y, like.z / cluster.z}, allowed_{
                                                                             std::vector<bool>(clusters_.x, true),
                                                                             std::vector<bool>(clusters_.y, true),
                                                                             std::vector<bool>(clusters_.z, true)} {}

void Likeness::require(Form form, const Bounds& bounds, base::Dim3 place) {
    Condition c{form, bounds, place, table_.axis_of(form), table_.is_linear(form)};
    base::Dim3 next{0, 0, 0};
    coordinate(next, std::max(c.axis, 0)) = 1;
    if (c.linear) c.step = minus(table_.value(form, block(next, place)), table_.value(form, block({0, 0, 0}, place)));
    (c.axis < 0 ? mixed_ : single_).push_back(c);
}

base::Dim3 Likeness::block(base::Dim3 cluster, base::Dim3 place) const {
    return {cluster.x * shape_.x + place.x, cluster.y * shape_.y + place.y, cluster.z * shape_.z + place.z};
}

int64_t Likeness::difference(const Condition& c, base::Dim3 cluster) const {
    return minus(table_.value(c.form, block(cluster, c.place)), table_.value(c.form, block(like_, c.place)));
}

// Those along its axis for which it does not hold.
void Likeness::exclude(const Condition& c) {
    std::vector<bool>& allowed = allowed_[c.axis];
    base::Dim3 at = like_;
    uint32_t& n = coordinate(at, c.axis) = 0;
    for (int64_t d = difference(c, at); n < allowed.size(); ++n) {
        if (!allowed[n]) continue;
        const int64_t its = c.linear
                                ? static_cast<int64_t>(static_cast<uint64_t>(d) + n * static_cast<uint64_t>(c.step))
                                : difference(c, at);
        if (!c.bounds.hold(its)) allowed[n] = false;
    }
}

void Likeness::find_columns() {
    for (const bool linear : {true, false}) // the others take longer: where they need not be asked
        for (const Condition& c : single_)
            if (c.linear == linear) exclude(c);
    for (uint32_t x = 0; x < clusters_.x; ++x)
        if (allowed_[0][x]) columns_.push_back(x);
}

// Leaves the columns of the row for which it holds. False: there are none.
bool Likeness::narrow(const Condition& c, base::Dim3 row) {
    if (row_.empty()) return false;
    row.x = row_.front();
    const auto first = static_cast<uint64_t>(difference(c, row)), step = static_cast<uint64_t>(c.step);
    const auto holds = [&, bounds = c.bounds, from = row.x](uint32_t x) {
        return bounds.hold(static_cast<int64_t>(first + (x - from) * step));
    };
    if (c.linear && (step & (c.bounds.modulus - 1)) == 0 && holds(row_.front()) && holds(row_.back()))
        return true; // and between
    if (c.linear) std::erase_if(row_, [&](uint32_t x) { return !holds(x); });
    else std::erase_if(row_, [&](uint32_t x) { return row.x = x, !c.bounds.hold(difference(c, row)); });
    return !row_.empty();
}

} // namespace sim
