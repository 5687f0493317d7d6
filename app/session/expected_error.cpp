#include "session/expected_error.h"

#include "catalog/code_hash.h"
#include "timing/machine.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace session {
namespace {

using catalog::Problem;
using measure::AccuracyRow;

// Factors between the volumes of two sizes.
double apart(const Problem& a, const Problem& b) {
    const auto volume = [](const Problem& p) { return std::log(static_cast<double>(p.m) * p.n * p.k); };
    return std::abs(volume(a) - volume(b));
}

bool between(const std::vector<const AccuracyRow*>& sizes, const Problem& problem, int Problem::*edge) {
    const auto by_edge = [&](const AccuracyRow* a, const AccuracyRow* b) {
        return (*a->size).*edge < (*b->size).*edge;
    };
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end(), by_edge);
    return problem.*edge >= (*(*least)->size).*edge && problem.*edge <= (*(*most)->size).*edge;
}

ExpectedError not_validated(base::Sentence why) { return {{}, {}, std::move(why)}; }

ExpectedError of_rows(const std::vector<const AccuracyRow*>& rows, const Problem& problem) {
    const AccuracyRow* pooled = nullptr;
    std::vector<const AccuracyRow*> sizes;
    for (const AccuracyRow* row : rows) row->size ? sizes.push_back(row) : void(pooled = row);
    if (!pooled || sizes.empty() || pooled->accuracy.points < enough_judged)
        return not_validated(base::say("fewer than {} of its settings were judged", enough_judged));
    for (const auto edge : {&Problem::m, &Problem::n, &Problem::k})
        if (!between(sizes, problem, edge)) return not_validated(base::say("no size so small or so large was judged"));
    const auto nearest = *std::min_element(sizes.begin(), sizes.end(), [&](auto* a, auto* b) {
        return apart(*a->size, problem) < apart(*b->size, problem);
    });
    const AccuracyRow* found = nearest->accuracy.points >= enough_judged ? nearest : pooled;
    ExpectedError error{found->accuracy, found->size, {}};
    if (found->accuracy.p90 > largest_p90)
        error.not_validated =
            base::say("more than one in ten of its judged predictions is off by over {} %", 100 * largest_p90);
    return error;
}

} // namespace

ExpectedError expected_error(std::span<const measure::AccuracyRecord> records, const catalog::Kernel& kernel,
                             const Subject& subject, const timing::WhatIf& what_if) {
    if (what_if != timing::WhatIf{}) return not_validated(base::say("no GPU has what is asked for"));
    if (!subject.breaks.empty()) return not_validated(base::say("no planted mistake was judged"));
    if (subject.beta != 0) return not_validated(base::say("only products with beta 0 were judged"));
    const timing::Machine* machine = timing::machine(subject.arch);
    const std::string code = catalog::code_hash(kernel);
    bool other_code = false;
    for (const measure::AccuracyRecord& record : records) {
        if (!machine || timing::machine(record.arch) != machine) continue;
        std::vector<const AccuracyRow*> rows;
        for (const AccuracyRow& row : record.rows) {
            if (row.kernel != kernel.id) continue;
            row.code == code ? rows.push_back(&row) : void(other_code = true);
        }
        if (!rows.empty()) return of_rows(rows, subject.problem);
    }
    return not_validated(other_code ? base::say("another code of this kernel was judged")
                                    : base::say("no setting of this kernel was judged on {}", subject.arch));
}

} // namespace session
