/* SPDX-License-Identifier: Apache-2.0
 * Opening results; see output.h.  A new file is created exclusively, so that two programs cannot both believe they
 * created it.  The replacement of an existing one is written beside it and renamed, so that the old file stays until
 * the new one is complete. */
#define _XOPEN_SOURCE 700 /* realpath; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "io/output.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"

bool clv_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static clv_status cannot(clv_error *e, const char *path, int number)
{
    return clv_fail(e, CLV_ERR_IO, "%s cannot be written: %s", path, strerror(number));
}

char *clv_output_resolve(const char *path, clv_error *e)
{
    char real[PATH_MAX];
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode))
        memcpy(real, path, strlen(path) < sizeof real ? strlen(path) + 1 : 0);
    else if (!realpath(path, real)) {
        clv_fail(e, CLV_ERR_USAGE, "%s is a symbolic link whose target cannot be found: %s", path, strerror(errno));
        return NULL;
    }
    char *copy = strlen(path) < sizeof real ? clv_copy_text(real) : NULL;
    if (!copy)
        clv_fail(e, strlen(path) < sizeof real ? CLV_ERR_MEMORY : CLV_ERR_IO, "%.100s...: the name is too long", path);
    return copy;
}

clv_status clv_output_not_input(const char *path, const struct stat *about, const char *const *input, clv_error *e)
{
    struct stat other;
    for (; input && *input; input++)
        if (stat(*input, &other) == 0 && clv_same_file(about, &other))
            return clv_fail(e, CLV_ERR_USAGE, "%s is the file %s, which is read: it cannot be the output as well", path,
                            *input);
    return CLV_OK;
}

clv_status clv_output_check(const char *path, const clv_output_rule *rule, clv_error *e)
{
    struct stat about;
    if (lstat(path, &about) != 0)
        return CLV_OK; /* opening shows what is wrong */
    char *real = clv_output_resolve(path, e);
    clv_status status = real ? CLV_OK : e->code;
    if (real && stat(real, &about) == 0) {
        status = clv_output_not_input(path, &about, rule->input, e);
        if (status == CLV_OK && !S_ISREG(about.st_mode))
            status = clv_fail(e, CLV_ERR_USAGE, "%s is not a regular file: it cannot be an output", path);
        if (status == CLV_OK && !rule->force)
            status = clv_fail(e, CLV_ERR_USAGE, "%s exists; --force replaces it", path);
    }
    clv_free(real);
    return status;
}

/* A file beside o->path that will take its name, with its permissions. */
static int create_beside(clv_output *o, const struct stat *old)
{
    size_t size = strlen(o->path) + 32;
    int fd = -1;
    o->fresh = clv_alloc(size, 1);
    errno = ENOMEM;
    for (int i = 0; o->fresh && fd < 0 && i < 100; i++) {
        snprintf(o->fresh, size, "%s-new-%ld-%d", o->path, (long)getpid(), i);
        fd = open(o->fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0)
        (void)fchmod(fd, old->st_mode & 0777);
    return fd;
}

clv_status clv_output_open(clv_output *o, const char *path, const clv_output_rule *rule, clv_error *e)
{
    struct stat old;
    *o = (clv_output){.whole = !rule->stream};
    clv_status status = clv_output_check(path, rule, e);
    if (status != CLV_OK)
        return status;
    if (!(o->path = clv_output_resolve(path, e)))
        return e->code;
    int fd;
    if (stat(o->path, &old) != 0)
        fd = open(o->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    else if (rule->stream)
        fd = open(o->path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
    else
        fd = create_beside(o, &old);
    o->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (o->stream)
        return CLV_OK;
    status = errno == EEXIST ? clv_fail(e, CLV_ERR_USAGE, "%s exists; --force replaces it", path)
                             : cannot(e, path, errno);
    if (fd >= 0)
        close(fd), unlink(o->fresh ? o->fresh : o->path);
    clv_free(o->path), clv_free(o->fresh);
    *o = (clv_output){.stream = NULL};
    return status;
}

/* Was everything written, into the file of this name? */
static clv_status complete(clv_output *o, clv_error *e)
{
    struct stat now, named;
    const char *name = o->fresh ? o->fresh : o->path;
    if (ferror(o->stream) || fflush(o->stream) != 0)
        return clv_fail(e, CLV_ERR_IO, "%s could not be written to its end: %s", o->path, strerror(errno));
    if (fstat(fileno(o->stream), &now) != 0 || stat(name, &named) != 0 || !clv_same_file(&now, &named))
        return clv_fail(e, CLV_ERR_IO, "%s was removed or replaced while it was written", o->path);
    if (now.st_size != ftello(o->stream))
        return clv_fail(e, CLV_ERR_IO, "%s was changed by another program while it was written", o->path);
    return CLV_OK;
}

clv_status clv_output_close(clv_output *o, bool keep, clv_error *e)
{
    if (!o->stream)
        return CLV_OK;
    clv_status status = keep ? complete(o, e) : CLV_OK;
    if (fclose(o->stream) != 0 && status == CLV_OK && keep)
        status = clv_fail(e, CLV_ERR_IO, "%s could not be written to its end: %s", o->path, strerror(errno));
    if (status == CLV_OK && keep && o->fresh && rename(o->fresh, o->path) != 0)
        status = cannot(e, o->path, errno);
    if ((status != CLV_OK || !keep) && o->whole)
        unlink(o->fresh ? o->fresh : o->path);
    clv_free(o->path), clv_free(o->fresh);
    *o = (clv_output){.stream = NULL};
    return status;
}
