#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The parts of a sweep in one file, when all tasks of parts.sh have ended:
#
#     sbatch --dependency=afterany:JOB --export=ALL,PARTS=20 merge.sh all.sweep
#
# Exit code 3: parts are lost or incomplete.  They are named, each with the command that makes what is missing; parts.sh
# makes them as an array of their numbers.
set -eu
: "${PARTS:?number of parts, as PARTS=20}"
out=$1
set --
i=1
while [ "$i" -le "$PARTS" ]; do
    set -- "$@" "part$i.sweep"
    i=$((i + 1))
done
if [ -e "$out" ]; then
    set -- --resume "$@"
fi
exec "${CLEAVE:-cleave}" sweep merge "$out" "$@"
