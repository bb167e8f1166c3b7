/* SPDX-License-Identifier: Apache-2.0
 * The model of a run file: its text, read with the values of parameters that its run was given. */
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"
#include "io/yaml_read.h"
#include <string.h>

clv_status clv_runfile_model(const clv_runfile *f, clv_model **model)
{
    size_t lines = 1;
    const char **given = NULL;
    char *copy = NULL;
    int n = 0;
    for (const char *c = f->parameters; c && *c; ++c)
        lines += *c == '\n';
    if (f->parameters && *f->parameters) {
        given = clv_alloc(lines, sizeof *given);
        copy = clv_copy_text(f->parameters);
        for (char *line = copy; given && line; line = line ? line + 1 : NULL) {
            given[n++] = line;
            if ((line = strchr(line, '\n')) != NULL)
                *line = '\0';
        }
    }
    const bool memory = !f->parameters || !*f->parameters || (given && copy);
    *model = NULL;
    clv_status status =
        memory ? clv_model_read_text_with(model, f->text, f->text_size, f->source, given, n) : CLV_ERR_MEMORY;
    clv_free(given);
    clv_free(copy);
    return status;
}
