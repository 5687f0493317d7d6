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


def integers(values):
    address = buffer(len(values))
    call("cuMemcpyHtoD_v2", address, (ctypes.c_int32 * len(values))(*values), ctypes.c_size_t(4 * len(values)))
    return address


def argument(text):
    kind, value = text.split("=")
    return {"i32": lambda: ctypes.c_int32(int(value)), "f32": lambda: ctypes.c_float(float(value)), "floats": lambda: buffer(int(value)),
            "integers": lambda: integers([int(word) for word in value.split()])}[kind]()


def launch(one):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), pathlib.Path(one["cubin"]).read_bytes())
    call("cuModuleGetFunction", ctypes.byref(function), module, one["entry"].encode())
    values = [argument(text) for text in one["arguments"]]
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values))
    call("cuLaunchKernel", function, *(ctypes.c_uint(n) for n in one["grid"] + one["block"] + [one["shared"]]), None, pointers, None)
    call("cuCtxSynchronize")
    for text, v in zip(one["arguments"], values):
        if text.startswith(("floats=", "integers=")):
            call("cuMemFree_v2", v)
    call("cuModuleUnload", module)


context, device = ctypes.c_void_p(), ctypes.c_int()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
for one in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    launch(one)
