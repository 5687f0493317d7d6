#!/usr/bin/env bash
# Tries packages in fresh chroots, as a new machine would meet them: installs the .deb, tells every lesson and opens the window
# without a compiler, fetches NVRTC and ptxas, compares, traces, checks, purges, and says what is left. Then the .tar.gz on a
# system with nothing else.
#   scripts/check_package.sh FOLDER [RELEASE...]     FOLDER holds the packages; bookworm, trixie, jammy and noble
# Needs root, debootstrap and the network; takes minutes a release. $CHROOTS (/var/tmp/gemmscope-chroots) keeps the fresh
# systems for the next time; logs lie in $CHROOTS/RELEASE.log. $PIP_CERT names certificates that the network asks for.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=$(realpath "${1:?usage: check_package.sh FOLDER [RELEASE...]}")
shift
releases=("${@:-bookworm}")
[[ $# -gt 0 ]] || releases=(bookworm trixie jammy noble)
chroots=${CHROOTS:-/var/tmp/gemmscope-chroots}
debian=${MIRROR:-http://deb.debian.org/debian} ubuntu=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
[[ $EUID -eq 0 ]] || { echo "check_package.sh: root is needed" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "check_package.sh: install debootstrap" >&2; exit 3; }
mkdir -p "$chroots"
"$scripts/check_symbols.sh" "$packages"/gemmscope-*.tar.gz

fresh() { # fresh RELEASE: a new system in $root
    local base=$chroots/base-$1 mirror=$debian sections=main script=/usr/share/debootstrap/scripts/$1
    [[ $1 == jammy || $1 == noble ]] && mirror=$ubuntu sections="main universe"
    [[ -e $script ]] || script=/usr/share/debootstrap/scripts/jammy # of a debootstrap that is older than the release
    if [[ ! -e $base/.complete ]]; then
        rm -rf "$base"
        debootstrap --variant=minbase "$1" "$base" "$mirror" "$script" >"$chroots/debootstrap-$1.log"
        echo "deb $mirror $1 $sections" >"$base/etc/apt/sources.list"
        touch "$base/.complete"
    fi
    root=$chroots/$1
    rm -rf "$root"
    cp -a "$base" "$root"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir "$root/packages"
    cp "$packages"/*.deb "$packages"/*.tar.gz "$scripts/check_package_inside.sh" "$root/packages/"
    [[ ! -e ${PIP_CERT:-} ]] || cp -L "$PIP_CERT" "$root/packages/certificates"
}

inside() { # inside PART: a part of check_package_inside.sh; its processes and mounts end with it
    unshare --mount --pid --fork --kill-child bash -c '
        mount --make-rprivate /
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash /packages/check_package_inside.sh "$1"' "$root" "$1"
}

failed=0
for release in "${releases[@]}"; do
    log=$chroots/$release.log
    : >"$log"
    for part in deb tar; do
        echo "== $release, $part"
        fresh "$release"
        inside $part 2>&1 | tee -a "$log" | grep --line-buffered '^\(ok\|FAILED\|left\):' || true
        grep -q "^ok: $part" "$log" || failed=1
        rm -rf "$root"
    done
    ! grep -q '^FAILED' "$log" || failed=1
done
[[ $failed -eq 0 ]] || { echo "check_package.sh: see $chroots/*.log" >&2; exit 1; }
