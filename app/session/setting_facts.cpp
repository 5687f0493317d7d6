#include "session/setting_facts.h"

#include "analysis/main_loop.h"
#include "sass/reader.h"

#include <algorithm>

namespace session {
namespace {

constexpr const char* facts_job = "facts";
constexpr size_t most_facts = 64;

double share(uint64_t part, uint64_t whole) {
    return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

} // namespace

base::Result<SettingFacts> setting_facts(const catalog::Kernel& kernel, const Subject& subject,
                                         const catalog::Problem& size, int multiprocessors, std::stop_token stop) {
    Subject small = subject;
    small.problem = {};
    auto job = resolve(kernel, small);
    if (!job) return job.error();
    auto launch = catalog::launch_shape(kernel, job->parameters, size);
    if (!launch) return launch.error();
    auto prepared = prepare(*job, stop);
    if (prepared.failed) return prepared.failed->error;
    auto machine = machine_code(*job, prepared.value->ptx.get(), stop);
    if (machine.failed) return machine.failed->error;
    auto listing = sass::read(machine.value->cubin, machine.value->entry);
    if (!listing) return listing.error();
    auto run = run_grid(*job, *prepared.value, 1, stop);
    if (run.failed) return run.failed->error;
    auto limits = analysis::multiprocessor(subject.arch);
    if (!limits) return limits.error();

    const compile::Resources& used = machine.value->resources;
    SettingFacts facts;
    facts.threads = static_cast<int>(job->shape.block.count());
    facts.registers = used.registers;
    facts.shared_bytes = used.static_shared_bytes + job->shape.dynamic_shared_bytes;
    facts.spill_bytes = used.spill_load_bytes + used.spill_store_bytes;
    auto occupancy =
        analysis::occupancy(*limits, facts.threads, used.registers, static_cast<uint32_t>(facts.shared_bytes));
    if (!occupancy) return occupancy.error();
    facts.occupancy = *occupancy;
    facts.product_share = analysis::main_loop(**listing).product_share();
    const analysis::Totals& totals = run.value->totals;
    const uint64_t wavefronts = totals.shared_load.wavefronts + totals.shared_store.wavefronts;
    facts.excessive_share =
        share(wavefronts - totals.shared_load.wavefronts_ideal - totals.shared_store.wavefronts_ideal, wavefronts);
    facts.blocks = launch->grid.count();
    facts.blocks_per_wave =
        static_cast<uint64_t>(occupancy->blocks) * static_cast<uint64_t>(std::max(multiprocessors, 1));
    return facts;
}

const FactsOfSettings::Entry* FactsOfSettings::entry(const Subject& subject, const catalog::Problem& size) const {
    const auto is_it = [&](const Entry& one) {
        return one.subject.kernel == subject.kernel && one.subject.arch == subject.arch &&
               one.subject.parameters == subject.parameters && one.subject.breaks == subject.breaks && one.size == size;
    };
    const auto found = std::find_if(entries_.begin(), entries_.end(), is_it);
    return found == entries_.end() ? nullptr : &*found;
}

std::shared_ptr<const base::Result<SettingFacts>> FactsOfSettings::find(const Subject& subject,
                                                                        const catalog::Problem& size) const {
    const Entry* known = entry(subject, size);
    return known ? known->facts : nullptr;
}

void FactsOfSettings::want(std::shared_ptr<const catalog::Kernel> kernel, const Subject& subject,
                           const catalog::Problem& size, int multiprocessors) {
    if (!kernel || jobs_.busy(facts_job) || entry(subject, size)) return;
    auto work = [kernel, subject, size, multiprocessors](std::stop_token stop) {
        return setting_facts(*kernel, subject, size, multiprocessors, stop);
    };
    auto done = [this, subject, size](base::Result<SettingFacts>&& facts) {
        entries_.push_front({subject, size, std::make_shared<const base::Result<SettingFacts>>(std::move(facts))});
        if (entries_.size() > most_facts) entries_.pop_back();
    };
    jobs_.start(facts_job, std::move(work), done, [done](base::Error error) { done(error); });
}

void FactsOfSettings::forget(const std::string& kernel) {
    jobs_.cancel(facts_job);
    std::erase_if(entries_, [&](const Entry& one) { return one.subject.kernel == kernel; });
}

} // namespace session
