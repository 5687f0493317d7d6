#include "cli/kernels.h"

#include "session/nearest.h"

#include <algorithm>

namespace cli {

using base::Error;
using base::Failure;

base::Result<std::vector<std::shared_ptr<const catalog::Kernel>>> kernels_named(const catalog::Catalog& catalog,
                                                                                const std::vector<std::string>& names) {
    std::vector<std::shared_ptr<const catalog::Kernel>> found;
    std::vector<std::string> known{"every"};
    const auto add = [&](const std::shared_ptr<const catalog::Kernel>& kernel) {
        if (std::find(found.begin(), found.end(), kernel) == found.end()) found.push_back(kernel);
    };
    for (const auto& kernel : catalog.kernels)
        for (const std::string& name : {kernel->id, kernel->family}) known.push_back(name);
    for (const std::string& name : names) {
        const size_t before = found.size();
        bool exists = name == "every";
        for (const auto& kernel : catalog.kernels) {
            if (name != kernel->id && name != kernel->family && name != "every") continue;
            exists = true;
            if (!kernel->parameters.empty()) add(kernel);
        }
        const std::string meant = session::nearest(name, known);
        if (!exists)
            return Error{Failure::usage,
                         base::say("there is no kernel or family {}", name),
                         {},
                         meant.empty() ? base::say("see gemmscope list") : base::say("did you mean {}?", meant)};
        if (const auto kernel = catalog.find(name); kernel && kernel->parameters.empty() && found.size() == before)
            return Error{
                Failure::usage, base::say("{} has no parameters to sweep", name), {}, base::say("see gemmscope list")};
    }
    return found;
}

} // namespace cli
