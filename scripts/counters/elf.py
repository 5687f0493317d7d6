"""The machine code of a kernel in a cubin, and its name in our tables: FNV-1a of its bytes."""
import pathlib
import struct


def text_sections(cubin):
    data = pathlib.Path(cubin).read_bytes()
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        name = data[strings + header[0]:data.index(b"\0", strings + header[0])].decode()
        if name.startswith(".text."):
            yield name[len(".text."):], data[header[4]:header[4] + header[5]]


def code_name(code):
    state = 0xCBF29CE484222325
    for byte in code:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"
