# Sourced by gemmscope.sh and test.sh: brings what is missing, configures, builds. Does nothing twice; a second start
# takes a moment. The caller has changed to the repository's root and set `set -euo pipefail`.
#
# GEMMSCOPE_NO_TOOLKIT=1 acts as if no CUDA Toolkit were installed. GEMMSCOPE_CUTLASS=1 builds CUTLASS's reference series,
# too; a folder that was configured with them keeps them.

BUILD_PACKAGES=(
    ca-certificates build-essential g++ cmake ninja-build pkg-config python3-venv
    libimgui-dev libstb-dev libglfw3-dev libegl-dev libgl-dev libgl1-mesa-dri libegl-mesa0
    libtomlplusplus-dev libmuparser-dev libmd4c-dev libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev
    libfontconfig-dev fontconfig fonts-dejavu-core fonts-noto-cjk
)
TEST_PACKAGES=(libgtest-dev libbenchmark-dev libopenblas0-pthread xvfb xauth xdotool xclip)

VENV=.venv
CUDA_IN_VENV=$PWD/$VENV/cuda # bin/, include/ and lib/, links into the wheels

say() { printf 'gemmscope: %s\n' "$*" >&2; }
fail() { # exit status 3: something is missing on this machine
    say "$*"
    exit 3
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else fail "root is needed to run: $*"
    fi
}

# Installs those of the packages named that are not installed.
install_packages() {
    command -v dpkg-query >/dev/null || fail "this is neither Debian nor Ubuntu; install what corresponds to: $*"
    local present missing=() package
    present=" $(dpkg-query -W -f '${binary:Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
    for package in "$@"; do
        [[ $present =~ " $package"(:[a-z0-9]+)?"=installed " ]] || missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    say "installing ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    as_root "${apt[@]}" update || fail "apt-get update failed; is the network there?"
    as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install the packages above"
}

# Sets CUDA_INCLUDE to the headers of a CUDA Toolkit 12 or 13 whose NVRTC and ptxas are there too; empty if there is none.
find_toolkit() {
    CUDA_INCLUDE=
    [[ -n ${GEMMSCOPE_NO_TOOLKIT:-} ]] && return
    local root
    for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
        [[ -n $root && -e $root/include/nvrtc.h && -e $root/include/cuda.h && -x $root/bin/ptxas ]] || continue
        if compgen -G "$root/lib64/libnvrtc.so.1[23]" >/dev/null || compgen -G "$root/lib/libnvrtc.so.1[23]" >/dev/null; then
            CUDA_INCLUDE=$root/include
            return
        fi
    done
}

# The wheels that take a toolkit's place, for the CUDA version that the driver knows; cuBLAS only where there is a GPU.
cuda_wheels() {
    local gpu version=13 uses=compile
    gpu=$(command -v nvidia-smi >/dev/null && nvidia-smi 2>/dev/null || true)
    [[ $gpu != *"CUDA Version: 12."* ]] || version=12
    [[ $gpu != *"CUDA Version:"* ]] || uses="compile|cublas"
    awk -v version=$version -v uses="^($uses)\$" '$1 == version && $2 ~ uses { printf "%s ", $3 }' assets/cuda_wheels.txt
}

# With the system's certificates rather than pip's own: a company's proxy is known only to the former.
pip_install() {
    env PIP_CERT="${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}" \
        $VENV/bin/python3 -m pip install --quiet --disable-pip-version-check "$@" ||
        fail "PyPI did not give them; is the network there?"
}

# The private Python environment: glad2, which generates the OpenGL loader, and NVRTC and ptxas where there is no toolkit.
make_environment() {
    local wheels=(glad2==2.0.8)
    if [[ -z $CUDA_INCLUDE ]]; then read -ra cuda <<<"$(cuda_wheels)"; wheels+=("${cuda[@]}"); fi
    if [[ $(cat $VENV/.wheels 2>/dev/null) != "${wheels[*]}" ]]; then
        say "installing from PyPI into $VENV: ${wheels[*]}"
        $VENV/bin/python3 -m pip --version >/dev/null 2>&1 || python3 -m venv --clear $VENV
        pip_install "${wheels[@]}"
        link_cuda
        echo "${wheels[*]}" >$VENV/.wheels
    fi
    [[ -n $CUDA_INCLUDE ]] && return
    CUDA_INCLUDE=$CUDA_IN_VENV/include
    export LD_LIBRARY_PATH=$CUDA_IN_VENV/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} # for cuBLAS
    if [[ -n ${GEMMSCOPE_NO_TOOLKIT:-} ]]; then
        GEMMSCOPE_NVRTC=$(compgen -G "$CUDA_IN_VENV/lib/libnvrtc.so.1[23]")
        export GEMMSCOPE_NVRTC
    fi
}

# What scripts/format.sh lays out files with; every version does it a little differently.
find_clang_format() {
    local wheel=clang-format==14.0.6
    [[ $(cat $VENV/.format 2>/dev/null) != "$wheel" ]] || return 0
    say "installing from PyPI into $VENV: $wheel"
    pip_install "$wheel"
    echo "$wheel" >$VENV/.format
}

# Sets CUTLASS_INCLUDE to CUTLASS's headers, from PyPI, and NVCC to what compiles them: the toolkit's, or that of CUDA 13's
# wheels. CUTLASS_INCLUDE is empty if they are not asked for.
find_cutlass() {
    CUTLASS_INCLUDE=
    [[ -n ${GEMMSCOPE_CUTLASS:-} ]] || return 0
    local wheels=(nvidia-cutlass==4.2.0.0)
    NVCC=$(dirname "$CUDA_INCLUDE")/bin/nvcc
    if [[ $CUDA_INCLUDE == "$CUDA_IN_VENV"/* ]]; then # a link, from beside which nvcc would not find its parts
        NVCC=$(realpath "$NVCC")
        [[ $NVCC == */cu13/* ]] || fail "GEMMSCOPE_CUTLASS=1 needs nvcc; install the CUDA Toolkit 12"
        wheels+=(nvidia-nvvm==13.0.88) # the part of nvcc that makes PTX, of which pip takes a newer one than ptxas reads
    fi
    [[ -x $NVCC ]] || fail "GEMMSCOPE_CUTLASS=1 needs nvcc, and there is no $NVCC; install the CUDA Toolkit 12 or 13"
    if [[ $(cat $VENV/.cutlass 2>/dev/null) != "${wheels[*]}" ]]; then
        say "installing from PyPI into $VENV: ${wheels[*]}"
        # Without what CUTLASS's Python package depends on, which is not used here; the headers stand alone.
        pip_install --no-deps "${wheels[@]}"
        echo "${wheels[*]}" >$VENV/.cutlass
    fi
    CUTLASS_INCLUDE=$($VENV/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/cutlass_library/source/include
}

# CUDA 12 has a folder for each wheel, CUDA 13 one for all: linked into one place for the compiler and the loader.
link_cuda() {
    rm -rf "$CUDA_IN_VENV"
    mkdir -p "$CUDA_IN_VENV"/{bin,include,lib}
    local packages
    packages=$($VENV/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nvidia
    local kind entry
    for kind in bin include lib; do
        for entry in "$packages"/*/"$kind"/*; do
            [[ ! -e $entry ]] || ln -sfn "$entry" "$CUDA_IN_VENV/$kind/"
        done
    done
}

# build TESTS TARGET: TESTS is ON or OFF. A folder that was configured with tests keeps them.
build() {
    local options=(-DGEMMSCOPE_TESTS="$1" -DCUDA_INCLUDE_DIR="$CUDA_INCLUDE" -DGEMMSCOPE_PYTHON="$PWD/$VENV/bin/python3")
    [[ -z $CUTLASS_INCLUDE ]] || options+=(-DGEMMSCOPE_CUTLASS_INCLUDE_DIR="$CUTLASS_INCLUDE" -DCMAKE_CUDA_COMPILER="$NVCC")
    if command -v ccache >/dev/null; then
        options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} # what ccache asks for to know precompiled headers
    fi
    local with_tests=${options[*]/TESTS=OFF/TESTS=ON} before quiet=--quiet
    before=$(cat build/.options 2>/dev/null || true)
    if [[ ! -e build/build.ninja || ($before != "${options[*]}" && $before != "$with_tests") ]]; then
        say "configuring"
        cmake --preset release "${options[@]}" >/dev/null
        echo "${options[*]}" >build/.options
        say "building, which takes a few minutes the first time"
        quiet=
    fi
    cmake --build --preset release --target "$2" -- $quiet
}

# setup TESTS TARGET [PACKAGE...]: everything above in order.
setup() {
    local tests=$1 target=$2
    shift 2
    install_packages "${BUILD_PACKAGES[@]}" "$@"
    find_toolkit
    make_environment
    [[ $tests == OFF ]] || find_clang_format
    find_cutlass
    build "$tests" "$target"
}
