#include "session/source_check.h"

#include "catalog/catalog.h"

#include <charconv>
#include <utility>

namespace session {
namespace {

// 12 of "folder/kernel.cu:12"; 0: none.
int line_of(const std::string& where) {
    const size_t colon = where.rfind(':');
    int line = 0;
    if (colon != std::string::npos) std::from_chars(where.data() + colon + 1, where.data() + where.size(), line);
    return std::max(line, 0);
}

std::vector<compile::Diagnostic> fault(const base::Error& error) {
    return {{true, line_of(error.where), base::Error{error.failure, error.what, {}, error.todo}.said()}};
}

} // namespace

std::vector<compile::Diagnostic> faults_of(const std::string& text, const std::filesystem::path& file,
                                           const Subject& like, const std::vector<catalog::Family>& families,
                                           std::stop_token stop) {
    const auto kernel = catalog::parse(text, file, families);
    if (!kernel) return fault(kernel.error());
    Subject subject = like;
    subject.kernel = kernel->id;
    subject.breaks.clear();
    if (!catalog::with(*kernel, subject.parameters)) subject.parameters.clear(); // they are others now
    const auto job = resolve(*kernel, subject);
    if (!job) return fault(job.error());
    const Stage<Prepared> prepared = prepare(*job, stop);
    if (!prepared.failed) return {};
    return prepared.failed->diagnostics.empty() ? fault(prepared.failed->error) : prepared.failed->diagnostics;
}

void SourceCheck::want(uint64_t revision, std::string text, std::filesystem::path file, Subject like,
                       std::vector<catalog::Family> families) {
    auto work = [revision, text = std::move(text), file = std::move(file), like = std::move(like),
                 families = std::move(families)](std::stop_token stop) {
        return Checked{revision, faults_of(text, file, like, families, stop)};
    };
    jobs_.start(job, std::move(work), [this](Checked&& checked) { last_ = std::move(checked); });
}

void SourceCheck::forget() {
    jobs_.cancel(job);
    last_.reset();
}

} // namespace session
