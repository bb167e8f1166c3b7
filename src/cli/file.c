/* SPDX-License-Identifier: Apache-2.0
 * Outputs of commands; see file.h. */
#include "cli/file.h"

clv_exit clv_file_tell(const char *command, bool json, const clv_error *e)
{
    return clv_tell(command, json, e->code == CLV_ERR_USAGE ? CLV_EXIT_USAGE : CLV_EXIT_RESOURCES, "%s", e->message);
}

clv_exit clv_file_check(const char *command, const char *path, const clv_output_rule *rule)
{
    clv_error e;
    return clv_output_check(path, rule, &e) == CLV_OK ? CLV_EXIT_DONE : clv_file_tell(command, false, &e);
}

clv_exit clv_file_write(const char *command, const char *path, const char *text, size_t size,
                        const clv_output_rule *rule)
{
    clv_output out;
    clv_error e;
    clv_status status = clv_output_open(&out, path, rule, &e);
    if (status == CLV_OK) {
        fwrite(text, 1, size, out.stream); /* closing reports what went wrong */
        status = clv_output_close(&out, true, &e);
    }
    return status == CLV_OK ? CLV_EXIT_DONE : clv_file_tell(command, false, &e);
}
