#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (tidy.py) and cppcheck over src/; nothing may be found.  Use: tools/check_tidy.sh BUILD, where BUILD was configured
# for clang with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON.
set -eu
build=${1:?use: tools/check_tidy.sh BUILD}
cd "$(dirname "$0")/.."
tools/tidy.py "$build"

# uninitvar, ctuuninitvar: outputs are plain arrays and come first; cppcheck takes them for inputs.  The compilers and clang's
# analyzer do this better.
# nullPointer: snprintf(NULL, 0, ...) measures a text.
cppcheck --std=c11 --language=c --enable=warning,performance,portability --suppress=uninitvar --suppress=ctuuninitvar \
    --suppress=nullPointer:src/cli/command_export.c \
    --error-exitcode=1 --quiet -j "$(nproc)" -I include -I src -D__GNUC__=12 -D_POSIX_C_SOURCE=200809L -DCLV_LANES=1 \
    '-DCLV_VERSION="0"' '-DCLV_COMPILER="none"' src
echo "cppcheck: nothing found"
