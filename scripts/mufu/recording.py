"""What record.cu recorded."""
import pathlib

import numpy

ONE, BINADE = 0x3F800000, 1 << 23  # of f32: the number one, and how many numbers lie from one power of two to the next


class Recording:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, function, first):
        """The results of `function` for the arguments from `first` on, as bits."""
        (path,) = self.folder.glob(f"{function}.{first:08x}.*")
        planes = numpy.fromfile(path, dtype=numpy.uint8).reshape(4, -1).astype(numpy.uint32)
        return numpy.cumsum(sum(planes[n] << (8 * n) for n in range(4)), dtype=numpy.uint32)

    def everywhere(self, function):
        """Arguments from all of the 2^32, and their results."""
        n = numpy.arange(1 << 20, dtype=numpy.uint32)
        return n * numpy.uint32(4096) + (n * numpy.uint32(2654435761) >> numpy.uint32(20)), numpy.fromfile(
            self.folder / f"{function}.everywhere", dtype=numpy.uint32)


def turns_of(angles):
    """The angles' bits over 2 pi, rounded to zero: what ptxas hands to MUFU."""
    with numpy.errstate(all="ignore"):
        exact = angles.view(numpy.float32).astype(numpy.float64) * numpy.float64(numpy.float32(0.15915494309189535))
        near = exact.astype(numpy.float32)
        return near.view(numpy.uint32) - (numpy.abs(near.astype(numpy.float64)) > numpy.abs(exact)).astype(numpy.uint32)
