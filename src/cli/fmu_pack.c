/* SPDX-License-Identifier: Apache-2.0
 * The file of a functional mock-up unit: a zip file with its description, the program that runs it, and its
 * resources: the model, files beside it, settings.  The program is cleave_fmu.so.  It lies beside `cleave`, or in the
 * library folder of the installation. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/file.h"
#include "cli/fmu.h"
#include "io/yaml_read.h"
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the program of units */

bool clv_fmu_program(char path[4096], bool json)
{
    static const char *const place[] = {"", CLV_FMU_FOLDER "/"}; /* of the build, of an installation */
    char here[2048];
    const ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = NULL;
    if (n > 0)
        here[n] = 0, slash = strrchr(here, '/');
    for (size_t i = 0; slash && i < sizeof place / sizeof *place; ++i) {
        snprintf(path, 4096, "%.*s/%s%s", (int)(slash - here), here, place[i], "cleave_fmu.so");
        if (access(path, R_OK) == 0)
            return true;
    }
    clv_tell("fmu", json, CLV_EXIT_RESOURCES,
             "there is no cleave_fmu.so beside this program or in %s from there: cleave was built without the program "
             "of units (CLV_FMU), or was moved without it",
             CLV_FMU_FOLDER);
    return false;
}

/* ---------------------------------------------------------------- members */

/* A whole file as a member. */
static clv_exit add_file(clv_zip *z, const char *name, const char *path, bool json)
{
    char block[16384];
    FILE *in = fopen(path, "rb");
    if (!in || !clv_zip_open(z, name)) {
        if (in)
            fclose(in);
        return clv_tell("fmu", json, CLV_EXIT_RESOURCES, "%s cannot be read", path);
    }
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        clv_zip_write(z, block, n);
    const bool good = !ferror(in);
    fclose(in);
    clv_zip_close(z);
    return good ? CLV_EXIT_DONE : clv_tell("fmu", json, CLV_EXIT_RESOURCES, "%s cannot be read", path);
}

static bool add_text(clv_zip *z, const char *name, const char *text, size_t size)
{
    const bool open = clv_zip_open(z, name);
    if (open) {
        clv_zip_write(z, text, size);
        clv_zip_close(z);
    }
    return open;
}

/* Where a file beside the model lies below the model's folder; NULL: not below it. */
static const char *below(const clv_subject *s, const char *side)
{
    const char *slash = strrchr(s->source, '/');
    const size_t n = slash ? (size_t)(slash - s->source) + 1 : 0;
    if (strncmp(s->source, side, n) != 0 || side[n] == '/' || strstr(side + n, "..") ||
        strlen(side + n) + 16 > CLV_ZIP_NAME)
        return NULL;
    return side + n;
}

static bool all_below(const clv_subject *s)
{
    bool all = s->text && !s->changed;
    for (int i = 0; i < s->model->nside && all; ++i)
        all = below(s, s->model->side[i]) != NULL;
    return all;
}

/* The model as its file with the files beside it, or written out. */
static clv_exit add_model(clv_zip *z, const clv_fmu *f, clv_subject *s)
{
    char name[CLV_ZIP_NAME], *written = NULL;
    size_t size = s->size;
    const bool own = f->settings.given == s->given || s->ngiven == 0, as_file = own && all_below(s);
    const char *text = as_file ? s->text : clv_subject_text(s, &written, &size);
    clv_exit code = text ? CLV_EXIT_DONE
                         : clv_tell("fmu", s->json, CLV_EXIT_RESOURCES, "model %s cannot be written out", s->source);
    for (int i = 0; i < s->model->nside && as_file && code == CLV_EXIT_DONE; ++i) {
        snprintf(name, sizeof name, "resources/%s", below(s, s->model->side[i]));
        bool first = true; /* a file may be named twice */
        for (int k = 0; k < i; ++k)
            first &= strcmp(s->model->side[k], s->model->side[i]) != 0;
        if (first)
            code = add_file(z, name, s->model->side[i], s->json);
    }
    if (code == CLV_EXIT_DONE && !add_text(z, "resources/" CLV_FMU_MODEL, text, size))
        code = clv_tell("fmu", s->json, CLV_EXIT_RESOURCES, "the unit has too many files");
    clv_free(written);
    return code;
}

/* ---------------------------------------------------------------- the whole */

static clv_exit write_members(clv_zip *z, const clv_fmu *f, clv_subject *s, const char *program)
{
    char name[CLV_ZIP_NAME];
    char *settings = clv_fmu_settings_text(&f->settings);
    if (!settings)
        return clv_tell("fmu", s->json, CLV_EXIT_RESOURCES, "out of memory");
    clv_zip_open(z, "modelDescription.xml");
    clv_fmu_describe(z, f);
    clv_zip_close(z);
    add_text(z, "resources/" CLV_FMU_SETTINGS, settings, strlen(settings));
    clv_free(settings);
    clv_exit code = add_model(z, f, s);
    snprintf(name, sizeof name, "binaries/%s/%s.so", f->version == 2 ? CLV_FMU_PLATFORM2 : CLV_FMU_PLATFORM3,
             f->identifier);
    if (code == CLV_EXIT_DONE)
        code = add_file(z, name, program, s->json);
    clv_zip_end(z);
    return code;
}

clv_exit clv_fmu_pack(const clv_fmu *f, clv_subject *s, const char *path, const char *program,
                      const clv_output_rule *rule)
{
    clv_output out;
    clv_error error;
    const int most = s->model->nside + 8;
    clv_zip_member *member = clv_alloc((size_t)most, sizeof *member);
    if (!member)
        return clv_tell("fmu", s->json, CLV_EXIT_RESOURCES, "out of memory");
    clv_exit code = CLV_EXIT_DONE;
    if (clv_output_open(&out, path, rule, &error) != CLV_OK)
        code = clv_file_tell("fmu", s->json, &error);
    else {
        clv_zip z = clv_zip_begin(out.stream, member, most);
        code = write_members(&z, f, s, program);
        if (clv_output_close(&out, code == CLV_EXIT_DONE, &error) != CLV_OK && code == CLV_EXIT_DONE)
            code = clv_file_tell("fmu", s->json, &error);
    }
    clv_free(member);
    return code;
}
