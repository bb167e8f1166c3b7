#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bits from every build: builds tests/laws/test_bits.c, which runs every lane width that this CPU has, by gcc and clang; also
# with all four widths compiled for the baseline CPU; and, with --full, without optimisation and for the instruction set of this machine.
#   tools/check_bits.sh [--full]
# Exit code 1: builds differ from each other, or from the recorded values; the table of the last build is shown.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
reference=

check() { # COMPILER CMAKE-OPTIONS...
    local compiler=$1 code table
    local name="$*"
    command -v "$compiler" >/dev/null || { echo "$name: no $compiler on this machine, left out"; return; }
    { cmake -S . -B "$out/build" -G Ninja -DCMAKE_C_COMPILER="$compiler" "${@:2}" &&
        cmake --build "$out/build" --target laws_test_bits; } >"$out/log" 2>&1 ||
        { echo "$name: does not build"; tail -n 20 "$out/log"; failed=1; return; }
    "$out/build/laws_test_bits" >"$out/text" 2>"$out/errors"
    code=$?
    rm -rf "$out/build"
    grep 'UINT64_C(' "$out/text" | awk '!seen[$0]++' >"$out/table" # one line a run, if widths agree
    table=$(grep -o 'UINT64_C(0x[0-9a-f]*)' "$out/table" | sha256sum)
    [ -n "$reference" ] || { reference=$table && cp "$out/table" "$out/first"; }
    if [ "$table" != "$reference" ]; then
        echo "$name: not the bits of the first build"
        diff "$out/first" "$out/table"
        failed=1
    elif [ $code -ne 0 ]; then
        echo "$name: the bits of the first build, but not the recorded ones"
        failed=1
    else
        echo "$name: equal"
    fi
}

for compiler in gcc clang; do
    check $compiler
    check $compiler -DCLV_LANES_BASELINE=ON
    if [ "${1:-}" = --full ]; then
        check $compiler -DCLV_MARCH=native
        check $compiler -DCMAKE_BUILD_TYPE=Debug
    fi
done
[ $failed -eq 0 ] || cat "$out/table" "$out/errors"
exit $failed
