#include "golden.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace golden {
namespace {

// "36x13"
std::vector<int> extents(const std::string& text) {
    std::vector<int> all;
    std::stringstream in(text);
    for (std::string part; std::getline(in, part, 'x');) all.push_back(std::stoi(part));
    return all;
}

// "36x13 8x8 128", as record.py makes it; without its address.
trace::TensorMap tensor_map(const std::string& size, const std::string& box, int swizzle) {
    trace::TensorMap map;
    const auto sizes = extents(size), boxes = extents(box);
    map.dimensions = static_cast<uint8_t>(sizes.size());
    map.element_bytes = 4;
    map.swizzle = static_cast<uint8_t>(swizzle);
    uint64_t stride = 4;
    for (size_t d = 0; d < sizes.size(); ++d) {
        map.size[d] = static_cast<uint64_t>(sizes[d]);
        map.box[d] = static_cast<uint16_t>(boxes.at(d));
        if (d > 0) map.stride[d - 1] = stride;
        stride *= map.size[d];
    }
    return map;
}

} // namespace

std::vector<Golden> goldens() {
    std::vector<Golden> all;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TEST_DATA) + "/ptx")) {
        if (entry.path().extension() != ".ptx") continue;
        Golden g{.name = entry.path().stem().string()};
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        g.text = text.str();
        for (std::string line; std::getline(text, line);) {
            std::stringstream words(line);
            std::string slashes, what, number;
            words >> slashes >> what >> number;
            if (slashes == "//" && what == "blocks:") g.blocks = static_cast<uint32_t>(std::stoul(number));
            if (slashes == "//" && what == "threads:") g.threads = static_cast<uint32_t>(std::stoul(number));
            if (slashes == "//" && what == "tensor_map:") {
                std::string box;
                int swizzle = 0;
                words >> box >> swizzle;
                g.maps.push_back(tensor_map(number, box, swizzle));
            }
            if (slashes == "//" && what == "any_nan:")
                for (; !number.empty(); number.clear(), words >> number) g.any_nan.insert(std::stoi(number));
            if (slashes != "//" || what != "expect") continue;
            for (std::string value; words >> value;)
                g.expected[std::stoi(number)].push_back(std::stoull(value, nullptr, 16));
        }
        all.push_back(std::move(g));
    }
    return all;
}

namespace {

// The parameters of a golden's kernel: where its results go, and maps of an array that it may change.
std::vector<std::byte> parameters_of(const Golden& g, const sim::Program& program, sim::Memory& memory, uint64_t out) {
    const auto places = sim::parameters(program);
    std::vector<std::byte> parameters(places.back().offset + places.back().bytes);
    std::memcpy(parameters.data(), &out, 8);
    if (g.maps.empty()) return parameters;
    const uint64_t data =
        memory.allocate({.name = "data", .bytes = 2048, .element = base::NumberType::f32, .rows = 1, .columns = 512});
    for (uint32_t n = 0; n < 512; ++n) {
        const uint32_t word = n * 2654435761u;
        std::memcpy(memory.bytes(data).data() + 4 * n, &word, 4);
    }
    for (size_t n = 0; n < g.maps.size(); ++n) {
        trace::TensorMap map = g.maps[n];
        map.address = data;
        std::memcpy(parameters.data() + places[1 + n].offset, &map, 128);
    }
    return parameters;
}

bool is_nan(uint64_t bits) { return std::isnan(std::bit_cast<double>(bits)); }

} // namespace

std::string differences(const Golden& g, const sim::Program& program, bool warnings) {
    sim::Memory memory;
    const uint64_t out = memory.allocate({.name = "out",
                                          .bytes = g.expected.size() * 32 * 8,
                                          .element = base::NumberType::f64,
                                          .rows = 1,
                                          .columns = 0});
    const sim::Launch launch{.grid = {g.blocks, 1, 1},
                             .block = {g.threads, 1, 1},
                             .dynamic_shared_bytes = 0,
                             .parameters = parameters_of(g, program, memory, out)};
    const auto outcome = sim::run(program, launch, memory, {});
    if (!outcome) return outcome.error().sentence() + "\n";
    std::ostringstream text;
    for (const trace::Finding& f : outcome->findings)
        if (warnings || f.severity == trace::Severity::error)
            text << trace::name(f.kind) << " at " << sim::listing(program)->instructions[static_cast<size_t>(f.pc)].text
                 << ": " << f.text.english() << "\n";
    std::vector<uint64_t> ours(g.expected.size() * 32);
    std::memcpy(ours.data(), memory.bytes(out).data(), ours.size() * 8);
    for (const auto& [n, values] : g.expected) {
        const bool any_nan = g.any_nan.contains(n);
        for (size_t lane = 0; lane < 32; ++lane) {
            const uint64_t value = ours[static_cast<size_t>(n) * 32 + lane], expected = values.at(lane);
            if (value == expected || (any_nan && is_nan(value) && is_nan(expected))) continue;
            text << "result " << n << " lane " << lane << ": " << std::hex << value << ", the GPU gives " << expected
                 << std::dec << "\n";
            break;
        }
    }
    return text.str();
}

} // namespace golden
