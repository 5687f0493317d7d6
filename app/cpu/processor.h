// This machine's processor, as its figures name it.
#pragma once

#include <string>
#include <string_view>

namespace cpu {

struct Processor {
    std::string name; // "Intel Xeon Platinum 8480+"; "unknown CPU" where the system does not say
    int cores = 0;    // of the machine; threads of one core count once
    bool avx2 = false, avx512 = false;
};

// `cpuinfo`: Linux's /proc/cpuinfo. Where it says nothing of cores, each of its processors is one.
Processor processor_from(std::string_view cpuinfo);
Processor this_processor();

// "Intel Xeon Platinum 8480+, 2 cores": the device of what was measured on it.
std::string name_of(const Processor&);

} // namespace cpu
