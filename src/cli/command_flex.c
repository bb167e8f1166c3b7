/* SPDX-License-Identifier: Apache-2.0
 * cleave flex reduce: a file of modes from the matrices of a finite-element program. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/file.h"
#include "io/error_print.h"
#include "io/fe_read.h"
#include "io/yaml_read_flex.h"
#include "io/yaml_write_text.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct flex_settings {
    bool force;
} flex_settings;

static const clv_option options[] = {
    {"force", CLV_OPTION_FLAG, offsetof(flex_settings, force), NULL, "replace an existing file", 0, 0, false},
    {0},
};

static void tell(const clv_fe_file *f, const clv_flex_body *b, int fixed, const char *path)
{
    int n = b->flex.nmode;
    printf("%d nodes, %d interfaces; %d modes: %d of statics, %d with the interfaces held\n", f->fe.nnode,
           f->fe.ninterface, n, n - fixed, fixed);
    printf("mass %.9g kg, centre of mass %.6g %.6g %.6g m\n", b->mass, b->com[0], b->com[1], b->com[2]);
    printf("lowest frequencies, frame clamped:");
    for (int k = 0; k < n && k < 6; ++k)
        printf(" %.6g", sqrt(b->flex.K[k * n + k]));
    printf(" rad/s\n%s is written.  Next: bodies: {NAME: {flexible: {file: %s}}}\n", path, path);
}

/* What was found as a text, read back: a model must take it. */
static clv_status write_text(const clv_flex_body *b, int nnode, char **text, size_t *size, clv_error *error)
{
    char comment[300];
    snprintf(comment, sizeof comment, "# Modes of a finite-element body of %d nodes after Craig and Bampton.\n", nnode);
    clv_status status = clv_flex_write_text(b, comment, text, size);
    if (status != CLV_OK)
        return clv_fail(error, status, "%s", clv_status_text(status));
    clv_error why;
    status = clv_flex_text_check(&why, *text, *size);
    if (status != CLV_OK) {
        clv_fail(error, status, "no model would accept the result: %s", why.message);
        clv_error_hint(error, "stiffness or mass are near the limits of rounding, or not those of a body");
    }
    return status;
}

/* The matrices that were read are no output either. */
static clv_exit check_matrices(const char *out, const clv_output_rule *rule, const clv_model *read)
{
    const char *input[4] = {NULL};
    for (int i = 0; i < read->nside && i < 3; ++i)
        input[i] = read->side[i];
    return clv_file_check("flex", out, &(clv_output_rule){.force = rule->force, .input = input});
}

static clv_exit reduce(const char *in, const char *out, const clv_output_rule *rule)
{
    clv_model *errors = NULL;
    clv_fe_file f;
    clv_flex_body b = {0};
    clv_error error;
    char *text = NULL;
    size_t size;
    int fixed = 0;
    clv_status status = clv_fe_read(&errors, &f, in);
    if (status != CLV_OK) {
        if (errors)
            clv_model_errors_print(stderr, errors, NULL);
        clv_model_destroy(errors);
        return status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES : CLV_EXIT_MODEL;
    }
    clv_exit may = check_matrices(out, rule, errors);
    clv_model_destroy(errors);
    if (may != CLV_EXIT_DONE) {
        clv_fe_file_free(&f);
        return may;
    }
    clv_error_clear(&error);
    status = clv_fe_reduce(&b, &fixed, &f.fe, &error);
    if (status == CLV_OK) {
        b.flex.limit = isnan(f.spin) ? b.flex.limit : f.spin;
        status = write_text(&b, f.fe.nnode, &text, &size, &error);
    }
    clv_exit code = clv_exit_of(status, false);
    if (status == CLV_OK)
        code = clv_file_write("flex", out, text, size, rule);
    else {
        clv_error_text(error.file, sizeof error.file, in);
        clv_error_print_placed(stderr, &error);
    }
    if (code == CLV_EXIT_DONE)
        tell(&f, &b, fixed, out);
    clv_free(text);
    clv_flex_body_close(&b);
    clv_fe_file_free(&f);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    flex_settings set = {0};
    clv_exit code = clv_command_read(self, &set, &words, 3, 3, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (strcmp(words.word[0], "reduce") != 0)
        return clv_tell("flex", false, CLV_EXIT_USAGE, "there is no '%s'; use: cleave flex reduce IN OUT",
                        words.word[0]);
    clv_output_rule rule = {.force = set.force, .input = (const char *const[]){words.word[1], NULL}};
    code = clv_file_check("flex", words.word[2], &rule);
    return (int)(code == CLV_EXIT_DONE ? reduce(words.word[1], words.word[2], &rule) : code);
}

const clv_command clv_command_flex = {
    "flex",
    "reduce IN OUT",
    "reduce a finite-element body to a file of modes",
    "  cleave flex reduce boom.fe.yaml boom.flex\n"
    "\n"
    "IN names nodes, interfaces and the files of stiffness and mass in Matrix Market form (docs/model-file.md).\n"
    "The frame interface is clamped; the modes are the statics of the other interfaces and the lowest modes with\n"
    "all interfaces held (Craig and Bampton), orthonormal, with their integrals.  A model reads OUT by\n"
    "flexible: {file: boom.flex}.  Dense matrices by LAPACK: at most 500 nodes.",
    options,
    command,
};
