#!/usr/bin/env bash
# What check_package.sh does inside a chroot, as root: check_package_inside.sh deb|tar
set -uo pipefail
export DEBIAN_FRONTEND=noninteractive
home=/home/student
useradd -m student

try() { # try NAME COMMAND...: its output goes to the log
    local name=$1
    shift
    if "$@"; then echo "ok: $name"; else echo "FAILED: $name"; fi
}
as_user() { # the words are one command line
    local certificates=
    [[ ! -e /packages/certificates ]] || certificates="export PIP_CERT=/packages/certificates;"
    su student -c "cd $home; $certificates $*"
}
# All but the logs and lists of apt and dpkg.
files() {
    find / -xdev \( -path /proc -o -path /dev -o -path /packages -o -path /tmp -o -path /run -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \
        -o -path /etc/ld.so.cache -o -name __pycache__ \) -prune -o -print | sort
}
packages() { dpkg-query -W -f '${Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p' | sort; }
install() { apt-get -qq -o DPkg::Lock::Timeout=60 install -y "$@" >/dev/null; }

# The window under Xvfb, until it has executed and drawn what it shows.
window() { # window PROGRAM
    as_user "rm -f probe; timeout 120 xvfb-run -a -s '-screen 0 1600x900x24' $1 --probe probe >window.log 2>&1 & for i in \$(seq 200); do grep -qs '\"block\": \"ready\"' probe && break; sleep 0.3; done; kill \$! 2>/dev/null; cat window.log; grep -q '\"block\": \"ready\"' probe"
}

# All that is taught, into FOLDER: figures and answers of every lesson and the first screen, but for how long that took.
teach() { # teach PROGRAM FOLDER
    as_user "mkdir -p $2 && cd $2 && for lesson in \$($1 lesson | cut -d' ' -f1); do $1 lesson \$lesson >\$lesson.txt || exit 1; done && $1 lesson --check && $1 trace double_buffer --threads 1 | grep -v '^executed in' >trace"
}

# What a user does, with PROGRAM; WINDOW: how its window is opened, where that can be.
work() { # work PROGRAM [WINDOW]
    local program=$1
    try "doctor names the pack" as_user "$program doctor | grep -E '^pack +found'"
    try "doctor finds no compiler" as_user "$program doctor | grep -cE '^(NVRTC|ptxas) +MISSING' | grep -qx 2"
    try "before setup: the first screen's kernel and all lessons" teach "$program" before
    try "before setup: what the pack does not have says the way out" as_user "$program trace double_buffer --arch sm_80 2>&1 | tee said; grep -q 'gemmscope setup' said"
    [[ -z ${2:-} ]] || try "before setup: the window shows the kernel" $2 "$program"
    try "setup" as_user "$program setup"
    try "setup, a second time" as_user "$program setup"
    try "doctor finds what setup fetched" as_user "$program doctor | grep -cE '^(NVRTC|ptxas) +found' | grep -qx 2"
    rm -rf $home/.cache/gemmscope
    try "after setup: the first screen's kernel and all lessons" teach "$program" after
    try "after setup: the very same words" diff -r $home/before $home/after
    try "after setup: what the pack does not have" as_user "$program trace double_buffer --arch sm_80"
    try "trace" as_user "$program trace double_buffer"
    try "check" as_user "$program check double_buffer --schedule seed:7"
    try "check finds a planted mistake" as_user "! $program check conflict_free --break \$($program show conflict_free --json | grep -o '\"name\":\"[a-z_]*barrier[a-z_]*\"' | head -n 1 | cut -d'\"' -f4)"
    try "lesson" as_user "$program lesson 04_bank_conflicts"
    try "grade" as_user "$program grade --race mirror | grep -q Mirror"
}

deb() {
    apt-get -qq update
    install xvfb xauth ca-certificates shared-mime-info desktop-file-utils
    files >/tmp/fresh
    packages >/tmp/packages
    try "install" install /packages/*.deb
    # At once again, so that what stays are the packages that it depends on, and nothing else can hide among them.
    try "purge" apt-get -qq purge -y gemmscope
    files >/tmp/before
    try "nothing of its name is left" bash -c '! comm -13 /tmp/fresh /tmp/before | grep -i gemmscope'
    try "install again" install /packages/*.deb
    try "the changelog" bash -c 'zcat /usr/share/doc/gemmscope/changelog.Debian.gz | grep -q "^gemmscope ("'
    dpkg -s gemmscope | grep -E '^(Version|Depends|Recommends|Installed-Size)'
    work gemmscope window
    try "a picture, without a display" as_user "gemmscope render banks shared_tile -o banks.png && test -s banks.png"
    try "the window under Xvfb" window gemmscope
    try "the man page" bash -c 'zcat /usr/share/man/man1/gemmscope.1.gz | grep -q "^.SS trace"' # minimal images leave man pages out
    try "bash completes" bash -c 'source /usr/share/bash-completion/completions/gemmscope; COMP_WORDS=(gemmscope tra); COMP_CWORD=1; _gemmscope; [[ ${COMPREPLY[*]} == trace ]]'
    try "bash completes kernels" bash -c 'source /usr/share/bash-completion/completions/gemmscope; COMP_WORDS=(gemmscope trace double_buffer_l); COMP_CWORD=2; _gemmscope; [[ ${COMPREPLY[*]} == double_buffer_lean ]]'
    try "the type of .cu" grep -q ':text/x-cuda:\*.cu$' /usr/share/mime/globs2
    try "the desktop entry" desktop-file-validate /usr/share/applications/gemmscope.desktop
    try "setup --remove" as_user "gemmscope setup --remove"
    echo "left: in the home: $(cd $home && find . -type f -path '*gemmscope*' | cut -d/ -f2-4 | sort | uniq -c | tr -s ' \n' ' ')"
    try "purge what was used" apt-get -qq purge -y gemmscope
    files | grep -v "^$home" >/tmp/after
    comm -13 /tmp/before /tmp/after | tee /tmp/left | head -n 20 | sed 's/^/left: /'
    try "autoremove" apt-get -qq autoremove --purge -y
    echo "left: packages that others recommend: $(packages | comm -13 /tmp/packages - | tr '\n' ' ')"
    try "deb: nothing is left" test ! -s /tmp/left
}

tarball() {
    as_user "tar -xzf /packages/gemmscope-*.tar.gz && mv gemmscope-*/ 'a folder'"
    local program="'$home/a folder/gemmscope'"
    # Every Ubuntu but the smallest has it, for Python; the one that the package carries is of Debian 12, whose C library is newer than 22.04's.
    ! grep -q '^ID=ubuntu' /etc/os-release || { apt-get -qq update && install libexpat1; }
    try "starts on a system with nothing else" as_user "$program list >/dev/null"
    try "says what setup needs" as_user "$program setup 2>&1 | tee said; grep -q 'install python3' said"
    apt-get -qq update
    install python3-venv ca-certificates
    work "$program"
    install libegl1 libgl1-mesa-dri libegl-mesa0 fonts-dejavu-core xvfb xauth libgl1 libglx-mesa0
    try "a picture, without a display" as_user "$program render banks shared_tile -o banks.png && test -s banks.png"
    try "the window under Xvfb" window "$program"
    try "a link to it" as_user "ln -s 'a folder/gemmscope' g && ./g list >/dev/null"
    try "tar: moved to another folder" as_user "mv 'a folder' moved && moved/gemmscope trace naive -m 64 -n 64 -k 64"
}

case $1 in
deb) deb ;;
tar) tarball ;;
esac
