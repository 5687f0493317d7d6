"""Runs every .ptx file of this folder on the GPU here and writes its results into the file as `// expect` lines.

A file holds one kernel `test(.param .u64 out)`, run by `// blocks: N` blocks of `// threads: N` threads, one of one warp where it
does not say; result n of lane l lies at out[n * 32 + l], 8 bytes each, and `// results: N` says how many there are. Each line
`// tensor_map: SIZE BOX SWIZZLE` ("36x13 8x8 128", the innermost dimension first) is a further parameter, a tensor map of floats with
dense rows; all are of one array of 512 words, word n is n * 2654435761. `// any_nan: N N` names results in f64 that may be any NaN where
the GPU gave one; all others are compared to the bit. Needs the driver (libcuda) and nothing else.
Usage: python3 record.py FOLDER_FOR_OUTPUT
"""
import ctypes
import pathlib
import re
import sys

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    if error:
        raise RuntimeError(f"{name}: CUDA error {error}")


def tensor_map(line, data):
    size, box, swizzle = line.split()
    size, box = [int(n) for n in size.split("x")], [int(n) for n in box.split("x")]
    strides = [4 * size[0]]
    for n in size[1:-1]:
        strides.append(strides[-1] * n)
    room = (ctypes.c_byte * 192)()  # the map is aligned to 64
    at = ctypes.addressof(room) + -ctypes.addressof(room) % 64
    rank, float32, l2_256 = len(size), 7, 3
    call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), float32, rank, data, (ctypes.c_uint64 * rank)(*size), (ctypes.c_uint64 * rank)(*strides),
         (ctypes.c_uint32 * rank)(*box), (ctypes.c_uint32 * rank)(*[1] * rank), 0, {0: 0, 32: 1, 64: 2, 128: 3}[int(swizzle)], l2_256, 0)
    return room, at


def run(text, results, blocks, threads, maps):
    data = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(2048))
    call("cuMemcpyHtoD_v2", data, (ctypes.c_uint32 * 512)(*[n * 2654435761 & 0xFFFFFFFF for n in range(512)]), ctypes.c_size_t(2048))
    encoded = [tensor_map(line, data) for line in maps]
    module, function, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    size = results * 32 * 8
    call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
    call("cuModuleGetFunction", ctypes.byref(function), module, b"test")
    call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(size))
    call("cuMemsetD8_v2", out, ctypes.c_ubyte(0), ctypes.c_size_t(size))
    arguments = (ctypes.c_void_p * (1 + len(maps)))(ctypes.addressof(out), *[at for _, at in encoded])
    call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, arguments, None)
    call("cuCtxSynchronize")
    host = (ctypes.c_uint64 * (results * 32))()
    call("cuMemcpyDtoH_v2", host, out, ctypes.c_size_t(size))
    call("cuMemFree_v2", out)
    call("cuMemFree_v2", data)
    call("cuModuleUnload", module)
    return list(host)


def main():
    target = pathlib.Path(sys.argv[1])
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    for path in sorted(pathlib.Path(__file__).parent.glob("*.ptx")):
        text = path.read_text()
        found = re.search(r"^// results: (\d+)", text)
        if not found:
            continue
        blocks, threads = [int(n.group(1)) if (n := re.search(rf"^// {what}: (\d+)", text, re.M)) else usual for what, usual in [("blocks", 1), ("threads", 32)]]
        try:
            values = run(text, int(found.group(1)), blocks, threads, re.findall(r"^// tensor_map: (.*)", text, re.M))
        except RuntimeError as error:
            print(f"{path.name}: {error}")
            continue
        body = "".join(l for l in text.splitlines(True) if not l.startswith("// expect"))
        lines = [" ".join(f"{v:x}" for v in values[n * 32 : n * 32 + 32]) for n in range(int(found.group(1)))]
        (target / path.name).write_text(body + "".join(f"// expect {n}: {line}\n" for n, line in enumerate(lines)))


main()
