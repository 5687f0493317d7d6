"""Launches each kernel of a list (launches.json of compile.py) once on the first GPU, for a profiler to watch. Needs nothing but
the driver. Buffers hold ones; counts do not depend on the values."""
import ctypes
import json
import pathlib
import struct
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit(f"{name}: error {result}")


def buffer(count):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4 * count))
    ones = struct.unpack("<I", struct.pack("<f", 1.0))[0]
    call("cuMemsetD32_v2", address, ctypes.c_uint(ones), ctypes.c_size_t(count))
    return address


def halves(count):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(2 * count))
    one_as_bf16 = 0x3F80
    call("cuMemsetD16_v2", address, ctypes.c_ushort(one_as_bf16), ctypes.c_size_t(count))
    return address


def integers(values):
    address = buffer(len(values))
    call("cuMemcpyHtoD_v2", address, (ctypes.c_int32 * len(values))(*values), ctypes.c_size_t(4 * len(values)))
    return address


def doubles(count):
    address = buffer(2 * count)
    call("cuMemcpyHtoD_v2", address, (ctypes.c_double * count)(*[1.0] * count), ctypes.c_size_t(8 * count))
    return address


ELEMENTS = {"floats": (4, 7), "bf16": (2, 9), "doubles": (8, 8), "tf32": (4, 11)}  # bytes; the driver's number of the type; tf32: floats, rounded on their way


def tensor_map(kind, matrix, rows, columns, box_rows, box_columns, swizzle):
    """A CUtensorMap of a row-major matrix, as gpu/driver/arguments.cpp encodes it; all zeros where its rows are not a multiple of 16 bytes."""
    size, data_type = ELEMENTS[kind]
    memory = ctypes.create_string_buffer(128 + 64)
    at = (ctypes.addressof(memory) + 63) // 64 * 64  # the driver wants 64-byte alignment
    encoded = (ctypes.c_ubyte * 128).from_address(at)
    encoded.keep = memory
    if columns * size % 16 == 0:
        sizes, strides = (ctypes.c_uint64 * 2)(columns, rows), (ctypes.c_uint64 * 1)(columns * size)
        box, steps = (ctypes.c_uint32 * 2)(box_columns, box_rows), (ctypes.c_uint32 * 2)(1, 1)
        l2_256b = 3
        call("cuTensorMapEncodeTiled", ctypes.byref(encoded), data_type, 2, matrix, sizes, strides, box, steps, 0,
             {0: 0, 32: 1, 64: 2, 128: 3}[swizzle], l2_256b, 0)
    return encoded


def argument(text, earlier):
    """`earlier`: the arguments before this one; a tensor map names the buffer that it describes by its place among them."""
    kind, value = text.split("=")
    if kind == "map":
        element, place, *numbers = value.split(",")
        return tensor_map(element, earlier[int(place)], *map(int, numbers))
    return {"i32": lambda: ctypes.c_int32(int(value)), "f32": lambda: ctypes.c_float(float(value)),
            "f64": lambda: ctypes.c_double(float(value)), "doubles": lambda: doubles(int(value)), "floats": lambda: buffer(int(value)),
            "bf16": lambda: halves(int(value)),
            "integers": lambda: integers([int(word) for word in value.split()])}[kind]()


def launch(one):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), pathlib.Path(one["cubin"]).read_bytes())
    call("cuModuleGetFunction", ctypes.byref(function), module, one["entry"].encode())
    most = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    call("cuFuncSetAttribute", function, most, one["shared"])
    values = []
    for text in one["arguments"]:
        values.append(argument(text, values))
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
    call("cuLaunchKernel", function, *(ctypes.c_uint(n) for n in one["grid"] + one["block"] + [one["shared"]]), None, pointers, None)
    call("cuCtxSynchronize")
    for text, v in zip(one["arguments"], values):
        if text.startswith(("floats=", "doubles=", "bf16=", "integers=")):
            call("cuMemFree_v2", v)
    call("cuModuleUnload", module)


context, device = ctypes.c_void_p(), ctypes.c_int()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
for one in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    launch(one)
