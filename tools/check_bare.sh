#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The README's two commands on a bare system of another release: tools/check_bare.sh SUITE [all]
# SUITE is bookworm (Debian 12), trixie (Debian 13) or noble (Ubuntu 24.04).  A minimal system is unpacked by debootstrap into a temporary
# folder, the source is copied into it, and `./setup demo` and `./setup test` run there, without anything of this
# machine.  Tests whose outcome does not depend on the system's packages (laws, formulations, references) are left out
# unless `all` is given.  Mirror and proxy are those of this machine's apt, or debootstrap's own default.  Where CCACHE_DIR
# is set and ccache is there, compilers have it inside, too: it is then the one package more.
# Exit code 0: both commands did their work; 1: they did not; 77: the system cannot be had from here, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:?use: tools/check_bare.sh bookworm|trixie|noble [all]}
what=${2:-}
parts=main # of the archive: those that the system has by default
case $suite in
bookworm) name="Debian 12" keyring=/usr/share/keyrings/debian-archive-keyring.gpg ;;
trixie) name="Debian 13" keyring=/usr/share/keyrings/debian-archive-keyring.gpg ;;
noble) name="Ubuntu 24.04" keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg parts=main,universe ;;
*) echo "check_bare: no such suite: $suite" >&2; exit 1 ;;
esac

no_system() {
    echo "NOT TESTED: $name: $*" >&2
    exit 77
}
[ "$(id -u)" = 0 ] || no_system "a change of root needs the rights of root"
command -v debootstrap >/dev/null || no_system "debootstrap is not installed"
mirror_of() { # SUITE: where this machine's apt has it from; nothing if it does not have it
    apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk -v suite="$1" '$1 == suite {print $2; exit}'
}
folder=$(mktemp -d "${TMPDIR:-/tmp}/cleave-bare.XXXXXX")
trap 'rm -rf "$folder"' EXIT
if [ ! -e "$keyring" ] && [ "$suite" = noble ]; then
    # Debian's package of Ubuntu's keys: Debian 12 does not list it, but its archive has the file of Debian 13.
    . /etc/os-release
    file=pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1-0.2_all.deb
    sum=b2e7ed48431bf9e7978ae810bbdaf253093570d6e3f864e575b7c13554b81174
    keyring=$folder/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
    debian=$(mirror_of "${VERSION_CODENAME:-none}")
    [ -z "$debian" ] || {
        /usr/lib/apt/apt-helper download-file "${debian%/}/$file" "$folder/keys.deb" "SHA256:$sum" &&
            dpkg-deb -x "$folder/keys.deb" "$folder/keys"
    } >/dev/null 2>&1 || true
fi
[ -e "$keyring" ] || no_system "its archive key is not installed ($keyring)"
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy # which every later Ubuntu is a link to
[ -e "$script" ] || no_system "debootstrap does not know it"

root=$folder/root
log=$folder/log
mkdir "$root"
cleanup() {
    for place in dev/pts proc ccache; do
        ! mountpoint -q "$root/$place" || umount "$root/$place"
    done
    if grep -q " $folder/" /proc/self/mounts; then
        echo "check_bare: something is still mounted below $folder; it is left there" >&2
    else
        rm -rf --one-file-system "$folder"
    fi
}
trap cleanup EXIT

# The mirror of this machine's apt for that release, if it has one; else debootstrap's default.
mirror=$(mirror_of "$suite") || mirror=
[ -n "$mirror" ] || mirror=$(ARCH=$(dpkg --print-architecture) SUITE=$suite \
    bash -c 'default_mirror() { echo "$1"; exit; }; . "$0"' "$script" 2>/dev/null) || mirror=
SECONDS=0
debootstrap --variant=minbase --components="$parts" --keyring="$keyring" "$suite" "$root" ${mirror:+"$mirror" "$script"} >"$log" 2>&1 || {
    tail -n 3 "$log" >&2
    no_system "its archive cannot be reached from here"
}
echo "$name: unpacked in $SECONDS s"

cp /etc/resolv.conf "$root/etc/resolv.conf"
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    [ ! -f "$file" ] || ! grep -qi proxy "$file" || cp "$file" "$root/etc/apt/apt.conf.d/"
done
mkdir "$root/cleave"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$root/cleave"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" # terminals for tests, of its own
ln -sf pts/ptmx "$root/dev/ptmx"

caching=() # settings of a compiler cache inside
inside() { # a command in the bare system, in the folder of the source
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "${caching[@]}" \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$root" sh -c 'cd /cleave && exec "$@"' sh "$@"
}
if [ -d "${CCACHE_DIR:-}" ] && command -v ccache >/dev/null; then
    mkdir "$root/ccache"
    mount --bind "$CCACHE_DIR" "$root/ccache"
    { inside apt-get update && inside apt-get install -y --no-install-recommends ccache; } >"$log" 2>&1 ||
        no_system "ccache cannot be installed in it"
    caching=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/cleave CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
        CCACHE_SLOPPINESS=time_macros CMAKE_OPTIONS=-DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi
for command in demo test; do
    SECONDS=0
    words=(./setup "$command")
    [ "$command" = demo ] || [ "$what" = all ] || words+=(-LE '^(laws|formulation|reference|flexible|simulation|long)$')
    inside "${words[@]}" >"$log" 2>&1 || {
        grep -E -B 40 '\*\*\*|FAILED|error:' "$log" | tail -n 200 >&2 || tail -n 60 "$log" >&2
        echo "$name: ./setup $command FAILED after $SECONDS s" >&2
        exit 1
    }
    [ "$command" = demo ] || sed -n '/tests passed/,$p' "$log"
    echo "$name: ./setup $command in $SECONDS s"
done
