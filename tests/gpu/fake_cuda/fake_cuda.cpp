// A libcuda.so.1 without a GPU, for testing the worker anywhere: one invented device (two where $FAKE_GPUS is
// 2) on which every launch takes a millisecond. A module's image is a word that says how its kernel behaves:
// "right", "wrong", "tiring": right at its first launch alone, "swinging": takes 2 ms where cuBLAS ran last a fifth of a second ago, "illegal", "misaligned", "endless", "idle": takes any arguments, "mapped" and "mapped bf16": right, but
// A and B come by their tensor maps, the ninth and tenth argument, where these are not all zeros, "bf16":
// right, of bf16, "f64": right, of doubles, "b1": right, of bits, "pitched": right, called as in BLAS,
// "recording": right, and block i leaves a record in its last argument, the ninth: on multiprocessor i % 2
// from 1000 + 10 i to 1015 + 10 i ns; "unrecorded": the same without the last block's record, "disturbed":
// with one element of C left out; "compare": assets/compare.cu. A real cubin is "right", or $FAKE_CUBIN if that is given, and its
// entry with "largest_difference" in its name "compare"; real PTX is "recording". Both are "idle" where their parameters are not a
// product's, and a product whose floats are not there computes nothing. Streams work as far as they can when somebody waits, the last one made
// first: an order that GPUs allow, and the worst for those who forget to wait. A stream copies 1e6 bytes a
// millisecond. $FAKE_MEMORY: bytes that can be had. A managed array moves as a whole: in 2 ms where the
// driver is asked to, in 5 ms where a kernel finds it in host memory; it takes none of the memory.
// $FAKE_PAGES=fixed: none moves. $FAKE_MAJOR: first number of the compute capability (9).
#include <cuda.h>
#include <elf.h>
#undef cuEventElapsedTime // cuda.h calls its _v2 so; the worker asks for the older symbol

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Stream {
    double clock_ms = 0;
    std::deque<std::function<bool()>> work; // false: not yet
};

struct Event {
    double clock_ms = 0;
    bool pending = false; // recorded in a stream that has not come there
};

struct Gpu {
    CUresult sticky = CUDA_SUCCESS; // after an illegal address every call says so
    bool hung = false;
    double clock_ms = 0; // of the stream that has no name; a float would stand still after 2^24 launches
    std::vector<Stream*> streams;
    std::map<void*, size_t> memory; // allocated
    struct Managed {
        size_t bytes = 0;
        bool on_gpu = false;
    };
    std::map<void*, Managed> managed;
    std::chrono::steady_clock::time_point cublas_ran;
} fake;

Stream* stream_of(CUstream stream) { return reinterpret_cast<Stream*>(stream); }
Event& event_of(CUevent event) { return *reinterpret_cast<Event*>(event); }

void work_off() {
    for (bool moved = true; moved && !fake.hung;) {
        moved = false;
        for (auto stream = fake.streams.rbegin(); stream != fake.streams.rend(); ++stream)
            while (!fake.hung && !(*stream)->work.empty() && (*stream)->work.front()())
                (*stream)->work.pop_front(), moved = true;
    }
}

size_t memory_size() {
    const char* given = std::getenv("FAKE_MEMORY");
    return given ? std::strtoull(given, nullptr, 10) : size_t{1} << 30;
}
size_t memory_left() {
    size_t left = memory_size();
    for (const auto& [address, bytes] : fake.memory) left -= std::min(left, bytes);
    return left;
}

// Are there so many bytes at the address?
bool holds(CUdeviceptr address, size_t bytes) {
    auto* begin = reinterpret_cast<char*>(address);
    const auto within = [&](void* start, size_t size) {
        const auto before = begin - static_cast<char*>(start);
        return before >= 0 && static_cast<size_t>(before) <= size && bytes <= size - static_cast<size_t>(before);
    };
    return std::ranges::any_of(fake.memory, [&](const auto& m) { return within(m.first, m.second); }) ||
           std::ranges::any_of(fake.managed, [&](const auto& m) { return within(m.first, m.second.bytes); });
}

// What a kernel waits for.
void touch_managed() {
    for (auto& [address, array] : fake.managed)
        if (!std::exchange(array.on_gpu, true)) fake.clock_ms += 5;
}

struct Module {
    std::string behaviour;
    bool compiled = false;                                // by a compiler: its entry has any name
    bool blas = false;                                    // called as in BLAS
    std::map<std::string, std::vector<size_t>> entries{}; // of the compiled one: bytes of each parameter
};

// What ptxas notes of the entries of a cubin. Not by the program's own reader: this library is loaded into the program, whose names it must not
// define again.
std::map<std::string, std::vector<size_t>> entries_of_elf(const char* image) {
    constexpr uint8_t with_size = 4, parameter = 0x17;
    constexpr std::string_view prefix = ".nv.info.";
    const auto& elf = *reinterpret_cast<const Elf64_Ehdr*>(image);
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image + elf.e_shoff);
    const char* names = image + sections[elf.e_shstrndx].sh_offset;
    std::map<std::string, std::vector<size_t>> entries;
    for (const Elf64_Shdr* section = sections; section != sections + elf.e_shnum; ++section) {
        const std::string_view name = names + section->sh_name;
        if (!name.starts_with(prefix)) continue;
        std::map<uint16_t, size_t> found; // by their place
        const char* at = image + section->sh_offset;
        for (const char* end = at + section->sh_size; at < end;) {
            uint16_t size = 0, place = 0;
            uint32_t last = 0;
            std::memcpy(&size, at + 2, sizeof size);
            if (at[0] == with_size && at[1] == parameter) {
                std::memcpy(&place, at + 8, sizeof place);
                std::memcpy(&last, at + 12, sizeof last);
                found[place] = last >> 18;
            }
            at += 4 + (at[0] == with_size ? size : 0);
        }
        for (const auto& [place, bytes] : found) entries[std::string(name.substr(prefix.size()))].push_back(bytes);
    }
    return entries;
}

std::map<std::string, std::vector<size_t>> entries_of_ptx(std::string_view text) {
    constexpr std::string_view directive = ".entry ", parameter = ".param .";
    std::map<std::string, std::vector<size_t>> entries;
    for (size_t entry = text.find(directive); entry != text.npos; entry = text.find(directive, entry + 1)) {
        const size_t open = text.find('(', entry), end = text.find(')', entry);
        auto& sizes = entries[std::string(text.substr(entry + directive.size(), open - entry - directive.size()))];
        for (size_t at = text.find(parameter, open); at < end; at = text.find(parameter, at + 1)) {
            const std::string_view type = text.substr(at + parameter.size());
            sizes.push_back(type.starts_with("align") ? sizeof(CUtensorMap) : type.substr(1, 2) == "64" ? 8 : 4);
        }
    }
    return entries;
}

// How an entry wants its arguments: M, N, K, alpha, A, B, beta, C, and what follows; or as in BLAS.
enum class Order { neither, plain, blas };

Order order_of(const std::vector<size_t>& bytes) {
    const auto begins = [&](std::vector<size_t> those) {
        return bytes.size() >= those.size() && std::equal(those.begin(), those.end(), bytes.begin());
    };
    const size_t factor = bytes.size() > 3 ? bytes[3] : 0;
    if (begins({4, 4, 4, factor, 8, 8, factor, 8})) return Order::plain;
    return begins({4, 4, 4, factor, 8, 4, 8, 4, factor, 8, 4}) ? Order::blas : Order::neither;
}

struct TensorMap { // what this driver encodes: a matrix
    void* address;
    cuuint64_t rows, columns, pitch; // pitch: bytes
    bool bf16;
};

float* floats(CUdeviceptr address) { return reinterpret_cast<float*>(address); }

// An operand in the device's memory.
struct Elements {
    const void* address;
    bool bf16;
    float operator[](int at) const {
        if (!bf16) return static_cast<const float*>(address)[at];
        const uint32_t bits = uint32_t{static_cast<const uint16_t*>(address)[at]} << 16;
        float value;
        return std::memcpy(&value, &bits, sizeof value), value;
    }
};

// The matrix that an argument's map is of, where it is of `rows` x `columns`; else `otherwise`.
Elements mapped(void* argument, int rows, int columns, Elements otherwise) {
    TensorMap map;
    std::memcpy(&map, argument, sizeof map);
    if (!map.address) return otherwise;
    const bool fits = map.rows == static_cast<cuuint64_t>(rows) && map.columns == static_cast<cuuint64_t>(columns) &&
                      map.pitch == map.columns * (map.bf16 ? 2 : 4) && map.bf16 == otherwise.bf16;
    return {fits ? map.address : nullptr, otherwise.bf16};
}

// What a product is called with: (M, N, K, alpha, A, B, beta, C), row-major, or as in BLAS with the leading
// dimensions behind A, B and C.
template <class Real>
struct Product {
    int m, n, k, lda, ldb, ldc;
    Real alpha, beta;
    CUdeviceptr a, b, c;

    Product(void** arguments, bool blas) {
        const auto integer = [&](int i) { return *static_cast<int*>(arguments[i]); };
        const auto real = [&](int i) { return *static_cast<Real*>(arguments[i]); };
        const auto address = [&](int i) { return *static_cast<CUdeviceptr*>(arguments[i]); };
        m = integer(0), n = integer(1), k = integer(2);
        alpha = real(3), beta = real(blas ? 8 : 6);
        a = address(4), b = address(blas ? 6 : 5), c = address(blas ? 9 : 7);
        lda = blas ? integer(5) : k, ldb = blas ? integer(7) : n, ldc = blas ? integer(10) : n;
    }
};

void multiply_doubles(const Product<double>& p) {
    const auto *a = reinterpret_cast<const double*>(p.a), *b = reinterpret_cast<const double*>(p.b);
    auto* c = reinterpret_cast<double*>(p.c);
    for (int y = 0; y < p.m; ++y)
        for (int x = 0; x < p.n; ++x) {
            double sum = 0;
            for (int i = 0; i < p.k; ++i) sum = std::fma(a[y * p.lda + i], b[i * p.ldb + x], sum);
            double& to = c[y * p.ldc + x];
            to = p.beta == 0 ? p.alpha * sum : std::fma(p.alpha, sum, p.beta * to);
        }
}

// The same of +1 and -1: 32 along k in a word, a set bit is -1.
void multiply_bits(void** arguments) {
    int m = *static_cast<int*>(arguments[0]), n = *static_cast<int*>(arguments[1]),
        k = *static_cast<int*>(arguments[2]);
    float alpha = *static_cast<float*>(arguments[3]), beta = *static_cast<float*>(arguments[6]);
    auto words = [&](int argument) {
        return reinterpret_cast<const uint32_t*>(*static_cast<CUdeviceptr*>(arguments[argument]));
    };
    const uint32_t *a = words(4), *b = words(5);
    const int in_a_row = (k + 31) / 32;
    float* c = floats(*static_cast<CUdeviceptr*>(arguments[7]));
    for (int y = 0; y < m; ++y)
        for (int x = 0; x < n; ++x) {
            int unequal = 0;
            for (int w = 0; w < in_a_row; ++w) unequal += __builtin_popcount(a[y * in_a_row + w] ^ b[w * n + x]);
            const float sum = static_cast<float>(k - 2 * unequal);
            c[y * n + x] = beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * c[y * n + x]);
        }
}

constexpr size_t strip_columns = 64;
using Strip = std::array<float, strip_columns>; // of a row

// The sums of one row and strip, in the processor's vectors where it has them: who draws a large product live does not wait
// for seconds, as nobody does with a GPU.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("default", "fma")))
#endif
void multiply_strip(const float* a, const Strip* b, int k, float* sums) {
    Strip sum{};
    for (int i = 0; i < k; ++i)
        for (size_t x = 0; x < strip_columns; ++x) sum[x] = __builtin_fmaf(a[i], b[i][x], sum[x]);
    std::memcpy(sums, sum.data(), sizeof sum);
}

// The same of floats, or of A and B in bf16. `maps`: the arguments with A's and B's.
void multiply(const Product<float>& p, bool leave_one_out, void** maps, bool bf16) {
    Elements a{floats(p.a), bf16}, b{floats(p.b), bf16};
    float* c = floats(p.c);
    if (maps) {
        a = mapped(maps[0], p.m, p.k, a);
        b = mapped(maps[1], p.k, p.n, b);
    }
    std::vector<float> rows; // one after the other
    rows.reserve(static_cast<size_t>(p.m) * static_cast<size_t>(p.k));
    for (int y = 0; y < p.m; ++y)
        for (int i = 0; i < p.k; ++i) rows.push_back(a[y * p.lda + i]);
    std::vector<Strip> strip(static_cast<size_t>(p.k));
    for (int first = 0; first < p.n; first += static_cast<int>(strip_columns)) {
        const int columns = std::min(p.n - first, static_cast<int>(strip_columns));
        for (int i = 0; i < p.k; ++i)
            for (int x = 0; x < columns; ++x)
                strip[static_cast<size_t>(i)][static_cast<size_t>(x)] = b[i * p.ldb + first + x];
        for (int y = 0; y < p.m; ++y) {
            Strip sums;
            multiply_strip(rows.data() + static_cast<size_t>(y) * strip.size(), strip.data(), p.k, sums.data());
            for (int x = first; x < first + columns; ++x) {
                if (leave_one_out && y * p.n + x == 7) continue;
                const float sum = sums[static_cast<size_t>(x - first)];
                float& to = c[y * p.ldc + x];
                to = p.beta == 0 ? p.alpha * sum : std::fma(p.alpha, sum, p.beta * to);
            }
        }
    }
}

bool holds(const Product<float>& p, bool bf16) {
    const auto matrix = [](CUdeviceptr at, int rows, int columns, int pitch, size_t element) {
        return rows > 0 && columns > 0 &&
               holds(at, (static_cast<size_t>(rows - 1) * static_cast<size_t>(pitch) + static_cast<size_t>(columns)) *
                             element);
    };
    return matrix(p.a, p.m, p.k, p.lda, bf16 ? 2 : 4) && matrix(p.b, p.k, p.n, p.ldb, bf16 ? 2 : 4) &&
           matrix(p.c, p.m, p.n, p.ldc, 4);
}

void compare(void** arguments) {
    const int rows = *static_cast<int*>(arguments[0]), columns = *static_cast<int*>(arguments[1]);
    const size_t leading = *static_cast<size_t*>(arguments[2]);
    const auto address = [&](int i) { return *static_cast<CUdeviceptr*>(arguments[i]); };
    uint32_t largest = 0;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const size_t at = static_cast<size_t>(row) * leading + static_cast<size_t>(column);
            const float difference = std::abs(floats(address(3))[at] - floats(address(4))[at]);
            uint32_t bits = 0;
            std::memcpy(&bits, &difference, sizeof bits);
            largest = std::max(largest, bits & 0x7fffffff);
        }
    std::memcpy(floats(address(5)), &largest, sizeof largest);
}

void record(CUdeviceptr records, unsigned blocks) {
    auto* words = reinterpret_cast<unsigned long long*>(records);
    for (unsigned i = 0; i < blocks; ++i) {
        words[3 * i] = 1000 + 10 * i;
        words[3 * i + 1] = 1015 + 10 * i;
        words[3 * i + 2] = i % 2;
    }
}

} // namespace

extern "C" {

// Not CUDA's: for the invented cuBLAS (fake_cublas.cpp), which runs its kernels on this GPU. They are called
// as in BLAS.
void fake_gpu_multiply(void** arguments, bool bf16, float ms) {
    fake.clock_ms += ms;
    fake.cublas_ran = std::chrono::steady_clock::now();
    touch_managed();
    multiply({arguments, true}, false, nullptr, bf16);
}
void fake_gpu_multiply_doubles(void** arguments, float ms) {
    fake.clock_ms += ms;
    multiply_doubles({arguments, true});
}

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
// NVRTC 13 asks for the driver's cache, and crashes where a driver has no such function.
CUresult cuGetExportTable(const void**, const CUuuid*) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char** text) {
    return *text = error == CUDA_ERROR_ILLEGAL_ADDRESS      ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                   : error == CUDA_ERROR_MISALIGNED_ADDRESS ? "CUDA_ERROR_MISALIGNED_ADDRESS"
                                                            : "CUDA_ERROR_OTHER",
           CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "an invented error", CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) {
    const char* wanted = std::getenv("FAKE_GPUS");
    return *count = wanted ? std::atoi(wanted) : 1, CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    return std::strncpy(name, device == 0 ? "Fake GPU" : "Second GPU", static_cast<size_t>(length)), CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    const char* major = std::getenv("FAKE_MAJOR");
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR    ? major ? std::atoi(major) : 9
             : which == CU_DEVICE_ATTRIBUTE_CLOCK_RATE                ? 1'234'000
             : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT      ? 2
             : which == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS ? !std::getenv("FAKE_PAGES")
                                                                      : 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) { return *bytes = size_t{2} << 30, CUDA_SUCCESS; }
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
    return std::strncpy(id, "none", static_cast<size_t>(length)), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return *context = nullptr, fake.sticky; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return fake.sticky; }
CUresult cuCtxSetCurrent(CUcontext) { return fake.sticky; }
CUresult cuCtxGetDevice(CUdevice* device) { return *device = 0, fake.sticky; }

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    const std::string word = static_cast<const char*>(image);
    const char* cubin = std::getenv("FAKE_CUBIN");
    const bool is_cubin = word.starts_with("\177ELF"), is_ptx = word.find(".version") != std::string::npos;
    auto* loaded = new Module;
    loaded->behaviour = is_cubin ? (cubin ? cubin : "right") : is_ptx ? "recording" : word;
    loaded->compiled = is_cubin || is_ptx;
    loaded->blas = loaded->behaviour == "pitched";
    if (loaded->compiled)
        loaded->entries = is_cubin ? entries_of_elf(static_cast<const char*>(image)) : entries_of_ptx(word);
    *module = reinterpret_cast<CUmodule>(loaded);
    return fake.sticky;
}
CUresult cuModuleUnload(CUmodule module) { return delete reinterpret_cast<Module*>(module), fake.sticky; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    *function = reinterpret_cast<CUfunction>(module);
    auto* loaded = reinterpret_cast<Module*>(module);
    if (loaded->compiled && std::strstr(name, "largest_difference")) loaded->behaviour = "compare";
    else if (loaded->compiled) {
        const Order order = order_of(loaded->entries[name]);
        if (order == Order::neither) loaded->behaviour = "idle";
        loaded->blas = order == Order::blas;
    }
    return loaded->compiled || std::strcmp(name, "sgemm") == 0 ? fake.sticky : CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return fake.sticky; }
CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned, unsigned,
                        CUstream stream, void** arguments, void**) {
    const Module& module = *reinterpret_cast<Module*>(function);
    const std::string& behaviour = module.behaviour;
    if (stream) { // later: the arguments of a product are kept, eight bytes each at most
        std::vector<uint64_t> kept(behaviour == "idle" ? 0 : module.blas ? 11 : 8);
        for (size_t i = 0; i < kept.size(); ++i) {
            const bool integer = i < 3 || (module.blas && (i == 5 || i == 7 || i == 10));
            const bool real = i == 3 || i == (module.blas ? 8 : 6);
            std::memcpy(&kept[i], arguments[i], integer || (real && behaviour != "f64") ? 4 : 8);
        }
        stream_of(stream)->work.emplace_back([=, s = stream_of(stream)]() mutable {
            std::vector<void*> pointers;
            for (uint64_t& argument : kept) pointers.push_back(&argument);
            s->clock_ms += 1;
            cuLaunchKernel(function, x, y, z, 0, 0, 0, 0, nullptr, pointers.data(), nullptr);
            return true;
        });
        return fake.sticky;
    }
    fake.clock_ms += 1;
    if (behaviour == "swinging" && std::chrono::steady_clock::now() - fake.cublas_ran > std::chrono::milliseconds(200))
        fake.clock_ms += 1;
    touch_managed();
    if (behaviour == "illegal") fake.sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    else if (behaviour == "misaligned") fake.sticky = CUDA_ERROR_MISALIGNED_ADDRESS;
    else if (behaviour == "endless") fake.hung = true;
    else if (behaviour == "compare") compare(arguments);
    else if (behaviour == "f64") multiply_doubles({arguments, false});
    else if (behaviour == "b1") multiply_bits(arguments);
    else if (behaviour != "idle") {
        const Product<float> product(arguments, module.blas);
        const bool bf16 = behaviour.ends_with("bf16");
        if (!module.compiled || holds(product, bf16))
            multiply(product,
                     behaviour == "wrong" || behaviour == "disturbed" || (behaviour == "tiring" && fake.clock_ms > 1),
                     behaviour.starts_with("mapped") ? arguments + 8 : nullptr, bf16);
    }
    if (behaviour == "recording" || behaviour == "unrecorded")
        record(*static_cast<CUdeviceptr*>(arguments[8]), x * y * z - (behaviour == "unrecorded"));
    return CUDA_SUCCESS;
}

// Only what gemmscope asks for, and only boxes that a GPU takes.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* size, const cuuint64_t* stride, const cuuint32_t* box,
                                const cuuint32_t* step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    const bool bf16 = type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const bool floats = type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    const bool asked = (bf16 || floats) && rank == 2 && step[0] == 1 && step[1] == 1 &&
                       interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
                       fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    const bool taken = stride[0] % 16 == 0 && box[0] <= 256 && box[1] <= 256 && box[0] % (bf16 ? 8 : 4) == 0 &&
                       (swizzle != CU_TENSOR_MAP_SWIZZLE_128B || box[0] <= (bf16 ? 64 : 32));
    if (!asked || !taken) return CUDA_ERROR_INVALID_VALUE;
    const TensorMap encoded{address, size[1], size[0], stride[0], bf16};
    *map = {};
    std::memcpy(map, &encoded, sizeof encoded);
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
    return *free = memory_left(), *total = size_t{2} << 30, fake.sticky;
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
    if (bytes > size_t{512} << 20 || bytes > memory_left())
        return CUDA_ERROR_OUT_OF_MEMORY; // what is free lies in pieces
    void* made = std::malloc(bytes);
    fake.memory[made] = bytes;
    *address = reinterpret_cast<CUdeviceptr>(made);
    return fake.sticky;
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned) {
    void* made = std::malloc(bytes);
    fake.managed[made] = {bytes, false};
    *address = reinterpret_cast<CUdeviceptr>(made);
    return fake.sticky;
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t, CUmemLocation to, unsigned, CUstream) {
    const auto found = fake.managed.find(reinterpret_cast<void*>(address));
    if (found == fake.managed.end()) return CUDA_ERROR_INVALID_VALUE;
    const bool to_gpu = to.type == CU_MEM_LOCATION_TYPE_DEVICE;
    if (std::exchange(found->second.on_gpu, to_gpu) != to_gpu) fake.clock_ms += 2;
    return fake.sticky;
}
CUresult cuMemFree_v2(CUdeviceptr address) {
    while (fake.hung) {
    } // as the driver waits for the kernel
    fake.managed.erase(reinterpret_cast<void*>(address));
    fake.memory.erase(reinterpret_cast<void*>(address));
    std::free(reinterpret_cast<void*>(address));
    return fake.sticky;
}
CUresult cuMemAllocHost_v2(void** address, size_t bytes) { return *address = std::malloc(bytes), fake.sticky; }
CUresult cuMemFreeHost(void* address) { return std::free(address), fake.sticky; }
CUresult cuCtxSynchronize() { return fake.sticky; }
CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned word, size_t count) {
    for (size_t i = 0; i < count; ++i) std::memcpy(floats(address) + i, &word, sizeof word);
    return fake.sticky;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    return std::memcpy(floats(to), from, bytes), fake.sticky;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    return std::memcpy(to, floats(from), bytes), fake.sticky;
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return std::memcpy(floats(to), floats(from), bytes), fake.sticky;
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* given, CUstream stream) {
    stream_of(stream)->work.emplace_back([copy = *given, s = stream_of(stream)] {
        const auto* from =
            static_cast<const char*>(copy.srcMemoryType == CU_MEMORYTYPE_HOST ? copy.srcHost : floats(copy.srcDevice));
        auto* to = static_cast<char*>(
            copy.dstMemoryType == CU_MEMORYTYPE_HOST ? copy.dstHost : static_cast<void*>(floats(copy.dstDevice)));
        for (size_t row = 0; row < copy.Height; ++row)
            std::memcpy(to + row * copy.dstPitch, from + row * copy.srcPitch, copy.WidthInBytes);
        s->clock_ms += static_cast<float>(copy.WidthInBytes * copy.Height) / 1e6f;
        return true;
    });
    return fake.sticky;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
    fake.streams.push_back(new Stream{fake.clock_ms, {}});
    return *stream = reinterpret_cast<CUstream>(fake.streams.back()), fake.sticky;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
    std::erase(fake.streams, stream_of(stream));
    return delete stream_of(stream), fake.sticky;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    stream_of(stream)->work.emplace_back([s = stream_of(stream), &e = event_of(event)] {
        if (e.pending) return false;
        s->clock_ms = std::max(s->clock_ms, e.clock_ms);
        return true;
    });
    return fake.sticky;
}

CUresult cuEventCreate(CUevent* event, unsigned) { return *event = reinterpret_cast<CUevent>(new Event), fake.sticky; }
CUresult cuEventDestroy_v2(CUevent event) { return delete &event_of(event), fake.sticky; }
CUresult cuEventRecord(CUevent event, CUstream stream) {
    Event& e = event_of(event);
    if (!stream) return e.clock_ms = fake.clock_ms, fake.sticky;
    e.pending = true;
    stream_of(stream)->work.emplace_back([&e, s = stream_of(stream)] {
        e.clock_ms = s->clock_ms, e.pending = false;
        return true;
    });
    return fake.sticky;
}
CUresult cuEventQuery(CUevent event) {
    work_off();
    if (fake.hung || event_of(event).pending) return CUDA_ERROR_NOT_READY;
    for (Stream* stream : fake.streams) // who asks goes on from here
        stream->clock_ms = std::max(stream->clock_ms, event_of(event).clock_ms);
    return fake.sticky;
}
CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
    return *ms = static_cast<float>(event_of(end).clock_ms - event_of(start).clock_ms), fake.sticky;
}

} // extern "C"
