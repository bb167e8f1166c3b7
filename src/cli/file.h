/* SPDX-License-Identifier: Apache-2.0
 * Outputs of commands: may a file be written (io/output.h), and writing one; what is wrong is reported. */
#ifndef CLV_CLI_FILE_H
#define CLV_CLI_FILE_H
#include "cli/command.h"
#include "io/output.h"

/* CLV_EXIT_USAGE: it exists, or is read; CLV_EXIT_RESOURCES: it cannot be written. */
clv_exit clv_file_check(const char *command, const char *path, const clv_output_rule *rule);
/* Writes a whole file. */
clv_exit clv_file_write(const char *command, const char *path, const char *text, size_t size,
                        const clv_output_rule *rule);
/* Reports an error of an output. */
clv_exit clv_file_tell(const char *command, bool json, const clv_error *e);

#endif
