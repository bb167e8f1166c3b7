#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One part of a sweep as a task of a Slurm array.  From the folder of the model:
#
#     sbatch --export=ALL,PARTS=20 --array=1-20 parts.sh sweep.txt
#
# sweep.txt holds the words of the sweep, one a line: the model, then its options.  A task that is requeued continues its
# file, so it loses a second of work.  Lost tasks alone again: sbatch --export=ALL,PARTS=20 --array=3,7 parts.sh sweep.txt
# PARTS is given, because SLURM_ARRAY_TASK_COUNT would be 2 then and the parts others.
#SBATCH --cpus-per-task=8
#SBATCH --requeue
set -eu
: "${PARTS:?number of parts, as PARTS=20}" "${SLURM_ARRAY_TASK_ID:?this is a task of a Slurm array}"
list=$1
set --
while IFS= read -r word; do
    set -- "$@" "$word"
done < "$list"
exec "${CLEAVE:-cleave}" sweep --shard "$SLURM_ARRAY_TASK_ID/$PARTS" --out "part$SLURM_ARRAY_TASK_ID.sweep" --resume \
    --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
