"""What nvdisasm says of every instruction of the cubins in FOLDER (ARCH.N.cubin with ARCH.N.g.sass and ARCH.N.gp.sass, the lines
of the source and of the PTX), made short. Writes machine_code.csv to standard output:
  instruction;arch;address;low word;high word;what   one example of each form that an instruction takes
  program;arch;case;code;instructions;digest         every instruction of a program: FNV-1a of what() of each and its lines
  comment;kernel;line                                where the first comment of a kernel ended: lines behind it are counted from there, so that
                                                     what is written into the comment later moves none"""
import pathlib
import re
import sys

import elf

WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
MEMORY = {"LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL", "LDGSTS"}
MATRICES = {"M88", "MT88"}  # 4 bytes a lane; .2 and .4 after it: as many of them
BRANCHES = {"BRA", "CALL"}


def parse(path):
    """[(address, text, low, high, line)] and the addresses of labels, of each function."""
    functions, label, line, words = {}, {}, 0, None
    instructions = []
    for text in path.read_text().splitlines():
        if match := re.match(r"\.text\.(\S+):", text):
            instructions, line = functions.setdefault(match[1], []), 0
        elif match := re.match(r"\s*//## File .*?, line (\d+)( inlined at .*)?$", text):
            if not match[2]:
                line = int(match[1])
        elif match := re.match(r"(\S+):$", text):
            label[match[1]] = len(instructions) * 16
        elif match := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?);\s+/\* 0x([0-9a-f]{16}) \*/", text):
            words = (int(match[1], 16), match[2].strip(), int(match[3], 16), line)
        elif (match := re.match(r"\s+/\* 0x([0-9a-f]{16}) \*/", text)) and words:
            instructions.append((*words[:3], int(match[1], 16), words[3]))
            words = None
    return functions, label


def what(text, label):
    """"@!P0 LDS 16", "BRA if 1f0": guard, opcode, bytes of a memory access, whether a branch has a second predicate, its target."""
    guard = re.match(r"@!?U?P\w+", text)
    rest = text[guard.end():].strip() if guard else text
    opcode, *modifiers = rest.split()[0].split(".")
    words = ([guard[0]] if guard else []) + [opcode]
    if opcode in MEMORY:
        words.append(str(next((WIDTHS[m] for m in modifiers if m in WIDTHS), 4)))
    if opcode in ("LDSM", "STSM") and MATRICES & set(modifiers):
        words.append(str(4 * next((int(m) for m in modifiers if m in ("2", "4")), 1)))
    if opcode in BRANCHES and re.match(r"\S+\s+!?U?P\d", rest):
        words.append("if")
    if opcode in BRANCHES and (match := re.search(r"`\((.*?)\)", rest)) and match[1] in label:
        words.append(f"{label[match[1]]:x}")
    return " ".join(words)


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.stdout.write((folder / "provenance").read_text())
    sys.stdout.write("# made by scripts/record_counters.sh: nvdisasm -c -hex -g and -gp; see scripts/counters/machine_code.py\n")
    programs, forms = [], {}
    for cubin in sorted(folder.glob("*.cubin"), key=lambda path: [int(n) for n in path.stem.split(".")]):
        arch, case = cubin.stem.split(".")
        (source, label), (ptx, _) = (parse(cubin.with_suffix(f".{kind}.sass")) for kind in ("g", "gp"))
        for entry, code in elf.text_sections(cubin):
            lines = []
            for (address, text, low, high, source_line), (*_, ptx_line) in zip(source.get(entry, []), ptx.get(entry, [])):
                said = what(text, label)
                form = said.rsplit(" ", 1)[0] if "`" in text else said
                forms.setdefault((arch, low & 0xFFFF, form), (address, low, high, said))
                lines.append(f"{address:x} {said} {source_line} {ptx_line}\n")
            if len(lines) * 16 != len(code):
                sys.exit(f"{cubin.name}: {len(lines)} instructions disassembled and {len(code)} bytes of code")
            programs.append(f"program;{arch};{case};{elf.code_name(code)};{len(lines)};{elf.code_name(''.join(lines).encode())}")
    for (arch, *_), (address, low, high, said) in forms.items():
        print(f"instruction;{arch};{address:x};{low:016x};{high:016x};{said}")
    for kernel in sorted((pathlib.Path(__file__).parents[2] / "kernels").glob("*.cu")):
        print(f"comment;{kernel.stem};{kernel.read_text().partition('*/')[0].count(chr(10)) + 1}")
    print("\n".join(programs))


main()
