#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (.clang-tidy) and cppcheck over src/; nothing may be found.  Use: tools/check_tidy.sh BUILD, where BUILD was configured
# for clang with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON.  One file per process of clang-tidy: its version 14 mixes up va_lists otherwise.
set -eu
build=${1:?use: tools/check_tidy.sh BUILD}
cd "$(dirname "$0")/.."
jobs=$(nproc)

# files a build leaves out (bdf.c or bdf_absent.c) have no command to compile them
for file in src/*/*.c; do
    if grep -q "/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
done | xargs -P "$jobs" -n 1 clang-tidy -p "$build" --quiet 2>&1 |
    { grep -v -e 'warnings generated' -e '^Suppressed' -e '^Use -header-filter' || true; } >"$build/tidy.log"
if [ -s "$build/tidy.log" ]; then
    cat "$build/tidy.log"
    exit 1
fi
echo "clang-tidy: nothing found"

# uninitvar: outputs are plain arrays and come first; cppcheck takes them for inputs.  The compilers and clang's
# analyzer do this better.
# nullPointer: snprintf(NULL, 0, ...) measures a text.
cppcheck --std=c11 --language=c --enable=warning,performance,portability --suppress=uninitvar \
    --suppress=nullPointer:src/cli/command_export.c \
    --error-exitcode=1 --quiet -j "$jobs" -I include -I src -D__GNUC__=12 -D_POSIX_C_SOURCE=200809L -DCLV_LANES=1 \
    '-DCLV_VERSION="0"' '-DCLV_COMPILER="none"' src
echo "cppcheck: nothing found"
