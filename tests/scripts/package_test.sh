#!/usr/bin/env bash
# What is in the .deb, and that the program in it runs from where it is unpacked: package_test.sh BUILD. scripts/check_package.sh
# installs it on fresh systems.
set -euo pipefail
build=$1
command -v cpack >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77 # skipped
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
(cd "$build" && cpack --config CPackConfig.cmake -G DEB -B "$out" >"$out/log" 2>&1) || { cat "$out/log"; exit 1; }
deb=$(echo "$out"/gemmscope_*.deb)
failed=0
wrong() {
    echo "$*"
    failed=1
}

dpkg-deb -x "$deb" "$out/root"
for file in bin/gemmscope share/gemmscope/{kernels/double_buffer.cu,assets/i18n/zh.toml,assets/cuda_wheels.txt,shaders/field.vert} \
    share/applications/gemmscope.desktop share/icons/hicolor/scalable/apps/gemmscope.svg share/mime/packages/gemmscope.xml share/man/man1/gemmscope.1.gz \
    share/bash-completion/completions/gemmscope share/fish/vendor_completions.d/gemmscope.fish share/doc/gemmscope/{copyright,changelog.Debian.gz} \
    share/metainfo/gemmscope.metainfo.xml; do
    [[ -s $out/root/usr/$file ]] || wrong "there is no $file"
done
others=$(cd "$out/root" && find . -mindepth 2 -maxdepth 2 | sort | tr '\n' ' ')
[[ $others == "./usr/bin ./usr/lib ./usr/share " ]] || wrong "it installs to $others"
grep -q "states no licence" "$out/root/usr/share/doc/gemmscope/copyright" || wrong "its copyright does not say that no licence is stated"
[[ $(zcat "$out/root/usr/share/doc/gemmscope/changelog.Debian.gz" | sed -n '1s/.*(\(.*\)).*/\1/p') == "$(dpkg-deb -f "$deb" Version)" ]] ||
    wrong "the changelog is of another version than the package"
[[ $(sed -n 's/.*<release version="\([^"]*\)".*/\1/p' "$out/root/usr/share/metainfo/gemmscope.metainfo.xml" | head -n 1) == "$(dpkg-deb -f "$deb" Version | cut -d- -f1)" ]] ||
    wrong "its AppStream description is of another version"
! command -v appstreamcli >/dev/null || appstreamcli validate --no-net "$out/root/usr/share/metainfo/gemmscope.metainfo.xml" ||
    wrong "its AppStream description is not valid"
[[ $(dpkg-deb -f "$deb" Maintainer) == *" <"*@*">" ]] || wrong "nobody answers for it"
# Packages that differ from release to release in name or version.
depends=$(dpkg-deb -f "$deb" Depends)
[[ $depends == *libglfw3* && $depends == *libegl1* ]] || wrong "it depends on $depends"
! grep -E 'libfmt|libtomlplusplus|libstb|libmuparser' <<<"$depends" || wrong "it depends on what only one release has: $depends"

program=$out/root/usr/bin/gemmscope
[[ $("$program" list --ids | sort) == "$("$build/gemmscope" list --ids | sort)" ]] || wrong "its kernels are others"
"$program" lesson >/dev/null || wrong "it does not find its lessons"
! grep -aq "$(realpath "$build/..")/" "$program" || wrong "it names the folder that it was built in"
exit $failed
