/* SPDX-License-Identifier: Apache-2.0
 * Formats of `cleave export` with files of their own; those of tables are in command_export.c. */
#ifndef CLV_CLI_EXPORT_H
#define CLV_CLI_EXPORT_H
#include "cli/command.h"
#include "io/output.h"

/* export_gltf.c: the motion of a run file as glTF (.glb).  It reports failures. */
clv_exit clv_export_gltf(const char *run, const char *path, const clv_output_rule *rule);

#endif
