// CUDA writing straight into an OpenGL texture, where the GPU that draws the window is one that CUDA reaches.
#pragma once

#include "gpu/driver/device.h"

#include <optional>
#include <string>

namespace gpu {

// The functions of the driver for OpenGL; not every driver has them.
#define GEMMSCOPE_CUDA_GRAPHICS(row)                                                                                   \
    row(unregister, "cuGraphicsUnregisterResource", cuGraphicsUnregisterResource)                                      \
        row(map, "cuGraphicsMapResources", cuGraphicsMapResources)                                                     \
            row(unmap, "cuGraphicsUnmapResources", cuGraphicsUnmapResources)                                           \
                row(mapped_array, "cuGraphicsSubResourceGetMappedArray", cuGraphicsSubResourceGetMappedArray)          \
                    row(surface_create, "cuSurfObjectCreate", cuSurfObjectCreate)                                      \
                        row(surface_destroy, "cuSurfObjectDestroy", cuSurfObjectDestroy)

struct GraphicsTable {
#define GEMMSCOPE_ROW(name, symbol, declared) decltype(&declared) name = nullptr;
    GEMMSCOPE_CUDA_GRAPHICS(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
    // cudaGL.h would bring OpenGL's own headers beside glad's.
    CUresult (*register_image)(CUgraphicsResource*, unsigned texture, unsigned target, unsigned flags) = nullptr;
    CUresult (*devices)(unsigned* count, CUdevice* devices, unsigned room, int which) = nullptr;

    static base::Result<GraphicsTable> load(const Driver&);
};

// Which CUDA device draws the current OpenGL context; an error says why none does.
base::Result<CUdevice> device_of_context(const Driver&, const GraphicsTable&);

// What a kernel finds while it fills the picture.
struct FieldFacts {
    float largest = 0;  // |C|, of the elements that are numbers
    bool finite = true; // all of them are
};

// A texture of floats that CUDA may write. Belongs to the thread of the OpenGL context, the CUDA context current.
class SharedTexture {
public:
    static base::Result<SharedTexture> share(const Driver&, const GraphicsTable&, unsigned texture);
    ~SharedTexture();
    SharedTexture(SharedTexture&& other) noexcept
        : driver_(other.driver_), table_(other.table_), resource_(std::exchange(other.resource_, nullptr)) {}
    SharedTexture& operator=(SharedTexture&&) = delete;

    // What of m x n elements at `c`, floats or doubles in rows that begin `ldc` elements apart, is written:
    // they themselves, or how far they are from the float64s at `reference`, in units of `tolerance`.
    struct Source {
        CUdeviceptr c = 0, reference = 0; // no reference: C itself
        double tolerance = 1;
        int m = 0, n = 0, ldc = 0;
        bool doubles = false;
    };
    // By `writer` (see picture_source()); waits for it alone.
    base::Result<FieldFacts> write(const LoadedKernel& writer, Source);

private:
    SharedTexture(const Driver& driver, const GraphicsTable& table, CUgraphicsResource resource)
        : driver_(&driver), table_(&table), resource_(resource) {}
    base::Result<FieldFacts> write_mapped(const LoadedKernel& writer, Source);

    const Driver* driver_;
    const GraphicsTable* table_;
    CUgraphicsResource resource_;
};

// The CUDA source of the writer and the name of its entry.
extern const char* const picture_source;
extern const char* const picture_entry;

} // namespace gpu
