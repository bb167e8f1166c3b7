/* SPDX-License-Identifier: Apache-2.0
 * A unit made by the command and unpacked into a folder, for tests: `cleave fmu` in this process, then the members of
 * the zip file, which are not compressed. */
#ifndef CLV_TESTS_FMU_UNPACK_H
#define CLV_TESTS_FMU_UNPACK_H
#include "cli/command.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct unpacked {
    char folder[200];    /* of everything                     */
    char resources[256]; /* FMI 3.0: a path, FMI 2.0: a URI    */
    char token[64];
    char description[65536];
    void *library;
} unpacked;

static inline uint32_t number_at(const unsigned char *p, int bytes)
{
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint32_t)p[i] << 8 * i;
    return x;
}

static inline bool write_file(const char *path, const void *data, size_t size)
{
    char folder[512];
    for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(p - path), path);
        mkdir(folder, 0700);
    }
    FILE *out = fopen(path, "wb");
    const bool good = out && fwrite(data, 1, size, out) == size;
    return out && fclose(out) == 0 && good;
}

static inline unsigned char *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    unsigned char *data = malloc(*size + 1);
    if (data && fread(data, 1, *size, in) != *size)
        *size = 0;
    fclose(in);
    return data;
}

/* The text between `before` and the next quote. */
static inline void find_text(const char *text, const char *before, char *to, size_t size)
{
    const char *at = strstr(text, before);
    at = at ? at + strlen(before) : "";
    snprintf(to, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* The members below the folder; the program is loaded. */
static inline bool unpack(unpacked *u, const char *path, int version)
{
    size_t size;
    char file[512], program[512] = "";
    unsigned char *all = read_file(path, &size);
    if (!all)
        return false;
    for (size_t at = 0; at + 30 < size && number_at(all + at, 4) == 0x04034b50;) {
        const size_t bytes = number_at(all + at + 22, 4), named = number_at(all + at + 26, 2);
        snprintf(file, sizeof file, "%s/%.*s", u->folder, (int)named, (const char *)all + at + 30);
        const unsigned char *data = all + at + 30 + named;
        if (!write_file(file, data, bytes))
            return free(all), false;
        if (strstr(file, "modelDescription.xml"))
            snprintf(u->description, sizeof u->description, "%.*s", (int)bytes, (const char *)data);
        if (strstr(file, ".so"))
            snprintf(program, sizeof program, "%s", file);
        at += 30 + named + bytes;
    }
    free(all);
    find_text(u->description, version == 2 ? "guid=\"" : "instantiationToken=\"", u->token, sizeof u->token);
    snprintf(u->resources, sizeof u->resources, "%s%s/resources%s", version == 2 ? "file://" : "", u->folder,
             version == 2 ? "" : "/");
    u->library = dlopen(program, RTLD_NOW | RTLD_LOCAL);
    return u->library != NULL;
}

/* Writes the model, makes the unit with these further words (up to NULL), unpacks it.  `folder`: one below /tmp. */
static inline bool make_unit(unpacked *u, const char *folder, const char *model, int version, const char *const *words)
{
    char file[256], out[256], number[8];
    char *argv[24] = {"cleave", "fmu", file, "--force", "--out", out, "--version", number};
    int argc = 8;
    memset(u, 0, sizeof *u);
    snprintf(u->folder, sizeof u->folder, "/tmp/%s.%ld.%d", folder, (long)getpid(), version);
    snprintf(file, sizeof file, "%s/model.yaml", u->folder), snprintf(out, sizeof out, "%s/unit.fmu", u->folder);
    snprintf(number, sizeof number, "%d", version);
    for (; words && *words; words++)
        argv[argc++] = (char *)*words;
    return write_file(file, model, strlen(model)) && clv_main(argc, argv) == 0 && unpack(u, out, version);
}

static inline void drop_unit(unpacked *u)
{
    char command[300];
    if (u->library)
        dlclose(u->library);
    snprintf(command, sizeof command, "rm -rf '%s'", u->folder);
    if (strncmp(u->folder, "/tmp/", 5) == 0 && system(command) != 0)
        fprintf(stderr, "%s stays\n", u->folder);
}

#endif
