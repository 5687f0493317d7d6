#include "sim/kinds/forms.h"

#include <bit>

namespace sim {

using ptx::Special;

Form FormTable::intern(std::vector<Term> of) {
    std::erase_if(of, [](const Term& t) { return t.factor == 0; });
    const auto found = std::find(forms_.begin(), forms_.end(), of);
    const auto number = static_cast<Form>(found - forms_.begin());
    if (found == forms_.end()) forms_.push_back(std::move(of));
    return number;
}

Form FormTable::sum(Form a, Form b, uint64_t times_b) {
    if (b == no_form) return a;
    std::vector<Term> all(terms(a).begin(), terms(a).end());
    for (const Term& t : terms(b)) {
        const auto more = static_cast<int64_t>(static_cast<uint64_t>(t.factor) * times_b);
        const auto same =
            std::find_if(all.begin(), all.end(), [&](const Term& other) { return other.variable == t.variable; });
        if (same == all.end()) all.push_back({t.variable, more});
        else same->factor = static_cast<int64_t>(static_cast<uint64_t>(same->factor) + static_cast<uint64_t>(more));
    }
    std::sort(all.begin(), all.end());
    return intern(std::move(all));
}

Form FormTable::shifted_down(Form a, int bits) {
    std::vector<Term> all(terms(a).begin(), terms(a).end());
    for (Term& t : all) t.factor >>= bits;
    return intern(std::move(all));
}

Form FormTable::variable(Special s, RowAt row, uint8_t width) {
    const auto same = [&](const Variable& v) { return v.special == s && (s != Special::count_ || v.row == row); };
    const auto found = std::find_if(variables_.begin(), variables_.end(), same);
    const auto number = static_cast<uint32_t>(found - variables_.begin());
    if (found == variables_.end()) variables_.push_back({.special = s, .row = row, .width = width, .values = {}});
    return only(number);
}

Form FormTable::quotient(Form form, uint64_t divisor) {
    if (form == no_form) return no_form;
    const auto same = [&](const Variable& v) { return v.row == no_row && v.form == form && v.divisor == divisor; };
    const auto found = std::find_if(variables_.begin(), variables_.end(), same);
    const auto number = static_cast<uint32_t>(found - variables_.begin());
    if (found == variables_.end()) variables_.push_back({.form = form, .divisor = divisor, .values = {}});
    return only(number);
}

int FormTable::zeros_of(const Forms& forms) const {
    int zeros = 63;
    for (const Form f : forms)
        for (const Term& t : terms(f)) zeros = std::min(zeros, std::countr_zero(static_cast<uint64_t>(t.factor)));
    return zeros;
}

int FormTable::axis_of(Form form) const {
    int axis = -2;
    for (const Term& t : forms_[form]) {
        const Variable& v = variables_[t.variable];
        const Special s = v.special;
        const bool line = grid_.y == 1 && grid_.z == 1;
        const int its = line || s == Special::ctaid_x || s == Special::clusterid_x ? 0
                        : s == Special::ctaid_y || s == Special::clusterid_y       ? 1
                        : s == Special::ctaid_z || s == Special::clusterid_z       ? 2
                        : v.row == no_row                                          ? axis_of(v.form)
                                                                                   : -1;
        if (axis != -2 && axis != its) return -1;
        axis = its;
    }
    return axis;
}

bool FormTable::is_linear(Form form) const {
    return std::all_of(forms_[form].begin(), forms_[form].end(),
                       [&](const Term& t) { return variables_[t.variable].special != Special::count_; });
}

int64_t FormTable::value(const Variable& v, base::Dim3 block) const {
    switch (v.special) {
    case Special::ctaid_x: return block.x;
    case Special::ctaid_y: return block.y;
    case Special::ctaid_z: return block.z;
    case Special::clusterid_x: return block.x / cluster_.x;
    case Special::clusterid_y: return block.y / cluster_.y;
    case Special::clusterid_z: return block.z / cluster_.z;
    default: break;
    }
    if (v.row != no_row) return v.values[base::index_of(block, grid_)];
    const int64_t whole = value(v.form, block), by = static_cast<int64_t>(v.divisor);
    return whole / by - (whole % by < 0 ? 1 : 0);
}

int64_t FormTable::value(Form form, base::Dim3 block) const {
    uint64_t sum = 0;
    for (const Term& t : forms_[form])
        sum += static_cast<uint64_t>(t.factor) * static_cast<uint64_t>(value(variables_[t.variable], block));
    return static_cast<int64_t>(sum);
}

} // namespace sim
