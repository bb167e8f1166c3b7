/* SPDX-License-Identifier: Apache-2.0
 * A model file out of an output state; see start_file.h. */
#include "cli/start_file.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_write.h"
#include "simulation/snapshot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static clv_status write_text(clv_start_file *f, const char *path, clv_sim *sim, clv_model *model, const char *head,
                             clv_error *e)
{
    char *text = NULL;
    size_t size;
    clv_status status = clv_sim_snapshot(sim, model);
    if (status != CLV_OK) {
        *e = *clv_sim_error(sim);
        return status;
    }
    status = clv_model_write_text_for(model, path, &text, &size);
    if (status != CLV_OK)
        return clv_fail(e, status, "%s", clv_status_text(status));
    const size_t n = strlen(head) + 3; /* "# ", line end */
    f->text = clv_alloc(size + n + 1, 1);
    if (f->text) {
        snprintf(f->text, n + 1, "# %s\n", head);
        memcpy(f->text + n, text, size + 1);
    }
    f->size = size + n;
    clv_free(text);
    return f->text ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

/* The largest difference of what a simulation of the new file starts with, places and velocities, relative to sizes. */
static double difference(const double *a, const double *b, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    return most / size;
}

/* Does the text read, and start with the state it was made of? */
static clv_status check_text(clv_start_file *f, clv_sim *sim, const clv_sim_options *options, clv_error *e)
{
    clv_model *again = NULL;
    clv_sim *check = NULL;
    const int n = clv_model_body_count(clv_sim_model(sim));
    clv_status status = clv_model_read_text(&again, f->text, f->size, "the new file");
    if (status != CLV_OK)
        *e = again ? *clv_model_error(again) : *clv_error_of_null();
    if (status == CLV_OK && (status = clv_sim_create(&check, again, options)) != CLV_OK)
        *e = check ? *clv_sim_error(check) : *clv_error_of_null();
    if (status == CLV_OK)
        f->moved = fmax(difference(clv_sim_position(sim), clv_sim_position(check), 3 * n),
                        difference(clv_sim_velocity(sim), clv_sim_velocity(check), 6 * n));
    if (status == CLV_OK && !(f->moved <= 1e-6))
        status = clv_fail(e, CLV_ERR_INCONSISTENT, "a model file cannot hold this state: its start differs by %.3g",
                          f->moved);
    clv_sim_destroy(check);
    clv_model_destroy(again);
    return status;
}

clv_status clv_start_file_make(clv_start_file *f, const char *path, clv_sim *sim, clv_model *model, const char *head,
                               const clv_sim_options *options, clv_error *e)
{
    memset(f, 0, sizeof *f);
    clv_error_clear(e);
    const clv_status status = write_text(f, path, sim, model, head, e);
    return status == CLV_OK ? check_text(f, sim, options, e) : status;
}

void clv_start_file_release(clv_start_file *f)
{
    clv_free(f->text);
    f->text = NULL;
}
