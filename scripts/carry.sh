#!/usr/bin/env bash
# Packs gemmscope for a machine that has a GPU and CUDA but neither network nor our libraries: the program, its tests, what
# they link beyond the C library, kernels (the tests' own too), assets, shaders and a font. There, FOLDER/run PROGRAM ARGUMENTS starts one of them.
#   scripts/carry.sh FOLDER [BUILD]     BUILD defaults to build/; keep FOLDER out of git
# Left out, because they must be that machine's own: the C and C++ libraries, OpenGL, the CUDA driver, cuBLAS, NVRTC, ptxas.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=$(realpath -m "${1:?usage: carry.sh FOLDER [BUILD]}")
build=$(realpath "${2:-$root/build}")
fonts=${FONTS:-/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf}
rm -rf "$out/bin" "$out/lib" "$out/kernels" "$out/test_kernels" "$out/assets" "$out/shaders" "$out/fonts"
mkdir -p "$out/bin" "$out/lib" "$out/fonts"
for program in gemmscope test_gpu; do
  [ -e "$build/$program" ] || { echo "carry.sh: no $build/$program; build it first" >&2; exit 1; }
  strip -o "$out/bin/$program" "$build/$program"
  ldd "$build/$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u | while read -r library; do
  case $(basename "$library") in
  libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libstdc++.so.* | libgcc_s.so.*) ;;
  libGL*.so.* | libEGL*.so.* | libOpenGL.so.* | libcuda.so.* | libcublas* | libnvrtc*) ;;
  *) cp -L "$library" "$out/lib/" ;;
  esac
done
# CUTLASS's products, where this build has them: the worker looks for them beside the program.
if [ -e "$build/libgemmscope_cutlass.so" ]; then
  ! ldd "$build/libgemmscope_cutlass.so" | grep -q libcudart || { echo "carry.sh: libgemmscope_cutlass.so needs a libcudart, which that machine may lack" >&2; exit 1; }
  strip -o "$out/bin/libgemmscope_cutlass.so" "$build/libgemmscope_cutlass.so"
fi
cp -r "$root/kernels" "$root/assets" "$root/shaders" "$out/"
cp -r "$root/tests/data/kernels" "$out/test_kernels"
for font in $fonts; do cp "$font" "$out/fonts/"; done
cat >"$out/run" <<'RUN'
#!/usr/bin/env bash
# Starts bin/PROGRAM with the carried libraries and this machine's CUDA.
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
for library in libcublas.so.13 libcublas.so.12 libnvrtc.so.13 libnvrtc.so.12; do
  for folder in "${CUDA_HOME:-/usr/local/cuda}/lib64" /usr/local/cuda/lib /usr/local/nvidia/lib64 /opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib; do
    [ -e "$folder/$library" ] && LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
  done
done
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export GEMMSCOPE_PROGRAM=$here/bin/gemmscope
if ! command -v fc-match >/dev/null || [ -n "${CARRIED_FONTS:-}" ]; then
  printf '<fontconfig><dir>%s/fonts</dir><dir>/usr/share/fonts</dir><cachedir>/tmp/fontconfig</cachedir></fontconfig>\n' "$here" >/tmp/gemmscope-fonts.conf
  export FONTCONFIG_FILE=/tmp/gemmscope-fonts.conf
fi
exec "$here/bin/$program" "$@"
RUN
chmod +x "$out/run"
du -sh "$out" | sed 's/^/carry.sh: /'
