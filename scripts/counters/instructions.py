"""What nvdisasm says of the instructions of the cubins in FOLDER, whose names begin with their architecture (90a.anything.cubin):
  arch;address;low word;high word;times;text    one instruction of each shape, and how often there was one of that shape
Two instructions have one shape when they differ in guard, numbers of registers, immediates and reuse alone. Of each opcode also every
way in which operands are kept for reuse: 0 times, as it was counted already. Writes tests/data/sass/instructions.csv to standard output: instructions.py FOLDER [NVDISASM]"""
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import elf

NOP = (0x7918, 0x000FC00000000000)
LINE = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*$")
NUMBER = re.compile(r"(?<![\w.])(-?0x[0-9a-f]+|[-+]?[0-9.]+(e[-+]\d+)?|[-+]INF |[-+][QS]NAN )(?!\w)")
REGISTER = re.compile(r"\b(UR|R|UP|P|B|SB)\d+\b")
BATCH = 20000


def run(nvdisasm, arch, words):
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(b"".join(struct.pack("<QQ", *word) for word in words))
        file.flush()
        done = subprocess.run([nvdisasm, "-b", f"SM{arch}", "-raw", file.name], capture_output=True, text=True, check=False)
    return [match[2] for line in done.stdout.splitlines() if (match := LINE.match(line))], done.stderr


def disassemble(nvdisasm, arch, words):
    """Texts of the words, as they stand one after the other from address 0 on; None: nvdisasm refuses it."""
    refused = set()
    while True:
        texts, errors = run(nvdisasm, arch, [NOP if i in refused else word for i, word in enumerate(words)])
        match = re.search(r"at address 0x([0-9a-f]+)", errors)
        if not match:
            break
        refused.add(int(match[1], 16) // 16)
    if len(texts) != len(words):
        sys.exit(f"nvdisasm: {len(texts)} of {len(words)} instructions: {errors.strip()}")
    return [None if i in refused else text for i, text in enumerate(texts)]


def shapes(word, text, times):
    opcode, bare = word[0] & 0xFFF, re.sub(r"^@!?U?P\w+ ", "", text)
    yield (opcode, REGISTER.sub(r"\1#", NUMBER.sub("#", bare.replace(".reuse", "")))), times
    if "reuse" in bare:
        yield (opcode, tuple("reuse" in operand for operand in bare.split(", "))), 0


def main():
    folder, nvdisasm = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "nvdisasm"
    version = subprocess.run([nvdisasm, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    print(f"# nvdisasm -raw: {version}\n# made by scripts/counters/instructions.py, which says what the columns are")
    words = collections.defaultdict(collections.Counter)
    for cubin in sorted(folder.glob("*.cubin")):
        for _, code in elf.text_sections(cubin):
            words[cubin.name.split(".")[0]].update(struct.iter_unpack("<QQ", code))
    found = collections.defaultdict(dict)  # by architecture without its letter: shape -> [line, times]
    for arch in sorted(words, key=lambda name: (int(re.match(r"\d+", name)[0]), name)):
        examples = found[re.match(r"\d+", arch)[0]]
        distinct = sorted(words[arch])
        for start in range(0, len(distinct), BATCH):
            batch = distinct[start:start + BATCH]
            for i, (word, text) in enumerate(zip(batch, disassemble(nvdisasm, arch, batch))):
                for shape, times in shapes(word, text, words[arch][word]) if text else ():
                    example = examples.setdefault(shape, [f"{i * 16:x};{word[0]:016x};{word[1]:016x}", 0, text])
                    example[1] += times
    for arch, examples in found.items():
        written = set()
        for place, times, text in examples.values():
            if place not in written:
                print(f"{arch};{place};{times};{text}")
            written.add(place)


main()
