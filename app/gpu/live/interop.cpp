#include "gpu/live/interop.h"

#include <glad/gl.h>

#include <array>
#include <bit>
#include <cstring>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

constexpr int all_devices = 1; // CU_GL_DEVICE_LIST_ALL

std::string gl_text(GLenum name) {
    const GLubyte* text = glGetString(name);
    return text ? reinterpret_cast<const char*>(text) : "unknown";
}

} // namespace

// Bits of non-negative floats order as the floats do, so an integer maximum finds the largest.
const char* const picture_source = R"(
extern "C" __global__ void write_picture(const void* c, bool doubles, const double* reference, double tolerance, int m, int n, int ldc,
                                         cudaSurfaceObject_t picture, unsigned* largest_bits, unsigned* not_finite) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    size_t at = (size_t)row * ldc + column;
    double exact = doubles ? ((const double*)c)[at] : ((const float*)c)[at];
    float value = reference ? (float)(fabs(exact - reference[(size_t)row * n + column]) / tolerance) : (float)exact;
    surf2Dwrite(value, picture, column * (int)sizeof(float), row);
    unsigned bits = __float_as_uint(value) & 0x7fffffffu;
    if (bits >= 0x7f800000u) atomicOr(not_finite, 1u);
    else if (bits > *(volatile unsigned*)largest_bits) atomicMax(largest_bits, bits);
}
)";
const char* const picture_entry = "write_picture";

base::Result<GraphicsTable> GraphicsTable::load(const Driver& driver) {
    GraphicsTable table;
    const char* absent = nullptr;
#define GEMMSCOPE_ROW(name, symbol, declared)                                                                          \
    if (!(table.name = driver.library.function<decltype(declared)>(symbol))) absent = symbol;
    GEMMSCOPE_CUDA_GRAPHICS(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
    table.register_image = driver.library.function<CUresult(CUgraphicsResource*, unsigned, unsigned, unsigned)>(
        "cuGraphicsGLRegisterImage");
    table.devices = driver.library.function<CUresult(unsigned*, CUdevice*, unsigned, int)>("cuGLGetDevices_v2");
    if (!table.register_image) absent = "cuGraphicsGLRegisterImage";
    if (!table.devices) absent = "cuGLGetDevices_v2";
    if (absent) return Error{Failure::missing, base::say("the NVIDIA driver has no {}", absent), {}, {}};
    return table;
}

base::Result<CUdevice> device_of_context(const Driver& driver, const GraphicsTable& table) {
    std::string vendor = gl_text(GL_VENDOR), renderer = gl_text(GL_RENDERER);
    if (vendor.find("NVIDIA") == std::string::npos) // others' contexts are not for cuGLGetDevices to look into
        return Error{Failure::missing, base::say("the window is drawn by {}, not by an NVIDIA GPU", renderer), {}, {}};
    std::array<CUdevice, 8> devices{};
    unsigned count = 0;
    auto done = driver.check(table.devices(&count, devices.data(), devices.size(), all_devices),
                             base::phrase("CUDA does not see the window's OpenGL"));
    if (!done) return done.error();
    if (count == 0)
        return Error{Failure::missing, base::say("CUDA does not reach {}, which draws the window", renderer), {}, {}};
    return devices[0];
}

base::Result<SharedTexture> SharedTexture::share(const Driver& driver, const GraphicsTable& table, unsigned texture) {
    CUgraphicsResource resource = nullptr;
    auto done = driver.check(
        table.register_image(&resource, texture, GL_TEXTURE_2D,
                             CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD | CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST),
        base::phrase("CUDA cannot share the picture's texture"));
    if (!done) return done.error();
    return SharedTexture(driver, table, resource);
}

SharedTexture::~SharedTexture() {
    if (resource_) table_->unregister(resource_);
}

base::Result<FieldFacts> SharedTexture::write(const LoadedKernel& writer, Source source) {
    auto done =
        driver_->check(table_->map(1, &resource_, nullptr), base::phrase("CUDA cannot map the picture's texture"));
    if (!done) return done.error();
    auto facts = write_mapped(writer, source);
    done = driver_->check(table_->unmap(1, &resource_, nullptr),
                          base::phrase("CUDA cannot give the picture's texture back"));
    if (facts && !done) return done.error();
    return facts;
}

base::Result<FieldFacts> SharedTexture::write_mapped(const LoadedKernel& writer, Source source) {
    CUDA_RESOURCE_DESC description;
    std::memset(&description, 0, sizeof description);
    description.resType = CU_RESOURCE_TYPE_ARRAY;
    auto done = driver_->check(table_->mapped_array(&description.res.array.hArray, resource_, 0, 0),
                               base::phrase("CUDA cannot open the picture's texture"));
    if (!done) return done.error();
    auto counters = DeviceArray::allocate(*driver_, 2 * sizeof(float)); // two words; zero has no bits as a float either
    if (!counters) return counters.error();
    std::array<float, 2> words{};
    if (done = counters->upload(std::as_bytes(std::span(words))); !done) return done.error();
    CUsurfObject surface = 0;
    done = driver_->check(table_->surface_create(&surface, &description),
                          base::phrase("CUDA cannot write the picture's texture"));
    if (!done) return done.error();
    CUdeviceptr largest = counters->address(), not_finite = largest + sizeof(float);
    std::array<void*, 10> arguments{&source.c, &source.doubles, &source.reference, &source.tolerance, &source.m,
                                    &source.n, &source.ldc,     &surface,          &largest,          &not_finite};
    base::Dim3 block{32, 8, 1},
        grid{(static_cast<uint32_t>(source.n) + 31) / 32, (static_cast<uint32_t>(source.m) + 7) / 8, 1};
    done = writer.run(grid, block, 0, arguments.data());
    if (done) done = counters->download(std::as_writable_bytes(std::span(words))); // waits for the writer
    table_->surface_destroy(surface);
    if (!done) return done.error();
    return FieldFacts{words[0], std::bit_cast<uint32_t>(words[1]) == 0};
}

} // namespace gpu
