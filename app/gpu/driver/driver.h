// The CUDA driver, loaded when it is first needed, so that the program starts on a machine without one.
#pragma once

#include "base/result.h"
#include "base/shared_library.h"

#include <cuda.h>

#include <memory>
#include <string_view>

namespace gpu {

// One row a function: our name, the symbol (the version whose signature cuda.h gives), cuda.h's name.
// cuEventElapsedTime is asked for without its suffix: _v2, of the same signature, is missing from drivers before CUDA 12.8.
#define GEMMSCOPE_CUDA_DRIVER(row)                                                                                     \
    row(init, "cuInit", cuInit) row(driver_version, "cuDriverGetVersion", cuDriverGetVersion) row(                     \
        error_name, "cuGetErrorName", cuGetErrorName) row(error_string, "cuGetErrorString", cuGetErrorString)          \
        row(device_count, "cuDeviceGetCount", cuDeviceGetCount) row(device_get, "cuDeviceGet", cuDeviceGet) row(       \
            device_name, "cuDeviceGetName",                                                                            \
            cuDeviceGetName) row(device_attribute, "cuDeviceGetAttribute",                                             \
                                 cuDeviceGetAttribute) row(device_memory, "cuDeviceTotalMem_v2", cuDeviceTotalMem)     \
            row(device_pci_bus_id, "cuDeviceGetPCIBusId",                                                              \
                cuDeviceGetPCIBusId) row(context_retain, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain)         \
                row(context_release, "cuDevicePrimaryCtxRelease_v2",                                                   \
                    cuDevicePrimaryCtxRelease) row(context_set, "cuCtxSetCurrent", cuCtxSetCurrent)                    \
                    row(context_device, "cuCtxGetDevice",                                                              \
                        cuCtxGetDevice) row(module_load, "cuModuleLoadData",                                           \
                                            cuModuleLoadData) row(module_unload, "cuModuleUnload", cuModuleUnload)     \
                        row(module_function, "cuModuleGetFunction",                                                    \
                            cuModuleGetFunction) row(function_set_attribute, "cuFuncSetAttribute", cuFuncSetAttribute) \
                            row(launch_kernel, "cuLaunchKernel",                                                       \
                                cuLaunchKernel) row(context_synchronize, "cuCtxSynchronize", cuCtxSynchronize)         \
                                row(memory_info, "cuMemGetInfo_v2",                                                    \
                                    cuMemGetInfo) row(host_allocate, "cuMemAllocHost_v2",                              \
                                                      cuMemAllocHost) row(host_free, "cuMemFreeHost", cuMemFreeHost)   \
                                    row(memory_allocate, "cuMemAlloc_v2",                                              \
                                        cuMemAlloc) row(memory_allocate_managed, "cuMemAllocManaged",                  \
                                                        cuMemAllocManaged) row(memory_free, "cuMemFree_v2", cuMemFree) \
                                        row(memory_fill, "cuMemsetD32_v2",                                             \
                                            cuMemsetD32) row(copy_to_device, "cuMemcpyHtoD_v2", cuMemcpyHtoD)          \
                                            row(copy_to_host, "cuMemcpyDtoH_v2",                                       \
                                                cuMemcpyDtoH) row(copy_on_device, "cuMemcpyDtoD_v2", cuMemcpyDtoD)     \
                                                row(copy_2d_async, "cuMemcpy2DAsync_v2", cuMemcpy2DAsync)              \
                                                    row(stream_create, "cuStreamCreate", cuStreamCreate) row(          \
                                                        stream_destroy, "cuStreamDestroy_v2", cuStreamDestroy)         \
                                                        row(stream_wait_event, "cuStreamWaitEvent", cuStreamWaitEvent) \
                                                            row(event_create, "cuEventCreate", cuEventCreate) row(     \
                                                                event_destroy, "cuEventDestroy_v2", cuEventDestroy)    \
                                                                row(event_record, "cuEventRecord", cuEventRecord)      \
                                                                    row(event_query, "cuEventQuery", cuEventQuery)     \
                                                                        row(event_elapsed_ms, "cuEventElapsedTime",    \
                                                                            cuEventElapsedTime)

struct Driver {
#define GEMMSCOPE_ROW(name, symbol, declared) decltype(&declared) name = nullptr;
    GEMMSCOPE_CUDA_DRIVER(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
    base::SharedLibrary library; // for functions that not every driver has

    // Loads and initialises libcuda. Errors (Failure::missing): no driver, or one that finds no GPU.
    static base::Result<std::shared_ptr<const Driver>> open();

    // Done, or "<action>: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
    base::Status check(CUresult result, base::Phrase action) const;
    base::Status check(CUresult result, const base::Sentence& action) const;
};

} // namespace gpu
