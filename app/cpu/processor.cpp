#include "cpu/processor.h"

#include "base/file.h"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <utility>

namespace cpu {

namespace {

std::string without_marks(std::string name) { // of trade
    for (const std::string_view mark : {"(R)", "(TM)"})
        for (size_t at; (at = name.find(mark)) != name.npos;) name.erase(at, mark.size());
    return name;
}

} // namespace

Processor processor_from(std::string_view cpuinfo) {
    Processor found;
    std::set<std::pair<std::string, std::string>> cores; // socket, and the core's number on it
    std::string socket;
    int processors = 0;
    std::istringstream lines{std::string(cpuinfo)};
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(':');
        if (colon == line.npos) continue;
        const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
        const std::string value = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
        if (key == "processor") ++processors;
        if (key == "model name") found.name = without_marks(value);
        if (key == "physical id") socket = value;
        if (key == "flags") {
            const std::string flags = " " + value + " ";
            found.avx2 = flags.find(" avx2 ") != flags.npos;
            found.avx512 = flags.find(" avx512f ") != flags.npos;
        }
        if (key == "core id") cores.emplace(socket, value);
    }
    if (found.name.empty()) found.name = "unknown CPU";
    found.cores = cores.empty() ? std::max(processors, 1) : static_cast<int>(cores.size());
    return found;
}

Processor this_processor() {
    auto cpuinfo = base::read_file("/proc/cpuinfo");
    return processor_from(cpuinfo ? *cpuinfo : "");
}

std::string name_of(const Processor& processor) {
    return fmt::format("{}, {} core{}", processor.name, processor.cores, processor.cores == 1 ? "" : "s");
}

} // namespace cpu
