/* SPDX-License-Identifier: Apache-2.0
 * The name of a run file, the file it stands for, and the log beside it; see runfile.h.
 *
 * The writer's lock is an flock on the file itself: it lasts as long as the process, ends with it however it ends, and
 * readers are not affected.  Only who holds the lock of the file that a name stands for gives the name to another file.
 * So a lock counts once the name is seen to stand for the locked file still.  A file under a new name is complete
 * when it gets it; only where logs lie beside it the name is taken by an empty file first.
 *
 * SQLite finds a log by its name and replays it into whatever file lies beside it.  So logs are removed while a name is
 * taken, and a log must carry the birth number of its file before it is used.
 *
 * Descriptors are closed after the database's, because closing any descriptor of a file drops the record locks that
 * SQLite holds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/output.h"
#include "io/runfile_handle.h"

enum { TRIES = 50, CREATOR_TRIES = 100, PAUSE = 10000000 }; /* ns */

static clv_status cannot_write(clv_runfile *f)
{
    return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
}

static clv_status in_use(clv_runfile *f)
{
    return clv_fail(&f->error, CLV_ERR_IO, "%s is in use by another process", f->path);
}

bool clv_runfile_is_there(const clv_runfile *f)
{
    struct stat named;
    return stat(f->place, &named) == 0 && clv_same_file(&named, &f->about);
}

/* ------------------------------------------------------------------ holding */

static void let_go(clv_runfile *f)
{
    close(f->held);
    f->held = -1;
}

static void pause_briefly(void) { nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL); }

/* Locks the descriptor that is held, trying so many times. */
static bool take_lock(const clv_runfile *f, int tries)
{
    while (flock(f->held, LOCK_EX | LOCK_NB) != 0) {
        if (--tries <= 0)
            return false;
        pause_briefly();
    }
    return true;
}

/* Opens the file into f->held and f->about; false: errno says why. */
static bool open_file(clv_runfile *f, int flags)
{
    f->held = open(f->place, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (f->held < 0)
        return false;
    if (fstat(f->held, &f->about) == 0 && S_ISREG(f->about.st_mode))
        return true;
    let_go(f);
    errno = S_ISDIR(f->about.st_mode) ? EISDIR : EINVAL;
    return false;
}

clv_status clv_runfile_find(clv_runfile *f)
{
    f->place = clv_output_resolve(f->path, &f->error);
    return f->place ? CLV_OK : f->error.code;
}

clv_status clv_runfile_hold(clv_runfile *f)
{
    clv_error none;
    clv_error_clear(&none);
    if (!f->place && !(f->place = clv_output_resolve(f->path, &none)) && none.code == CLV_ERR_MEMORY)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    if (!f->place || !open_file(f, O_RDONLY))
        return clv_fail(&f->error, CLV_ERR_MODEL, "there is no readable file %s", f->path);
    if (f->about.st_size == 0)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a run file: it is empty", f->path);
    return CLV_OK;
}

clv_status clv_runfile_lock(clv_runfile *f)
{
    clv_status status = clv_runfile_find(f);
    for (int i = 0; status == CLV_OK && i < TRIES; i++) {
        if (!open_file(f, O_RDWR))
            return errno == ENOENT ? clv_fail(&f->error, CLV_ERR_MODEL, "there is no readable file %s", f->path)
                                   : cannot_write(f);
        if (!take_lock(f, 1))
            return in_use(f);
        if (clv_runfile_is_there(f))
            return fstat(f->held, &f->about) == 0 && f->about.st_size > 0
                       ? CLV_OK
                       : clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a run file: it is empty", f->path);
        let_go(f); /* the name went to another file meanwhile */
    }
    return status == CLV_OK ? in_use(f) : status;
}

/* ------------------------------------------------------------------ a new file */

/* The file by this name, locked, or an empty one created. */
static clv_status take_name(clv_runfile *f, bool *created)
{
    for (int i = 0; i < TRIES; i++) {
        *created = false;
        if (!open_file(f, O_RDWR)) {
            if (errno != ENOENT)
                return cannot_write(f);
            *created = open_file(f, O_RDWR | O_CREAT | O_EXCL);
            if (!*created && errno == EEXIST)
                continue;
            if (!*created)
                return cannot_write(f);
        }
        if (!take_lock(f, *created ? CREATOR_TRIES : 1))
            return in_use(f);
        if (clv_runfile_is_there(f))
            return fstat(f->held, &f->about) == 0 ? CLV_OK : cannot_write(f);
        let_go(f);
    }
    return in_use(f);
}

/* What lies there, for a refusal. */
static clv_status tell_old(clv_runfile *f)
{
    clv_runfile *old = NULL;
    double end = 0, number;
    char word[40] = "", quoted[CLV_TEXT_WORD];
    clv_status status = clv_runfile_open(&old, f->path);
    const double last = status == CLV_OK ? clv_runfile_reached(old) : 0;
    if (status == CLV_OK)
        end = clv_runfile_get_settings(old)->end;
    if (status == CLV_ERR_MEMORY)
        clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    else if (status != CLV_OK)
        clv_fail(&f->error, CLV_ERR_USAGE, "%s; it is kept as it is: choose another name, or --force replaces it",
                 old->error.message);
    else if (!clv_runfile_summary(old, "status", &number, word, sizeof word))
        clv_fail(&f->error, CLV_ERR_USAGE,
                 "%s holds an unfinished run to %.6g of %.6g s: `cleave resume %s` continues it, `--force` replaces it",
                 f->path, last, end, clv_text_word(f->path, quoted));
    else
        clv_fail(&f->error, CLV_ERR_USAGE, "%s holds a run to %.6g of %.6g s (%s); `--force` replaces it", f->path,
                 last, end, word);
    clv_runfile_close(old, NULL);
    return f->error.code;
}

/* An earlier run file that may be replaced: nobody else works on it, and it has no log that would be left. */
static clv_status settle_old(clv_runfile *f, bool run_only)
{
    clv_runfile *old = clv_runfile_new(f->path);
    if (!old)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    clv_status status = clv_runfile_connect(old, f->place, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK && run_only)
        status = clv_runfile_check_format(old);
    if (status == CLV_ERR_UNSUPPORTED) { /* a run file of another format */
        clv_error_clear(&old->error);
        status = CLV_OK;
    }
    if (status == CLV_OK)
        status = clv_runfile_sql(old, "PRAGMA journal_mode = DELETE");
    if (status != CLV_OK && (run_only || status != CLV_ERR_SYNTAX)) {
        f->error = old->error;
        if (status == CLV_ERR_SYNTAX)
            clv_error_hint(&f->error, "it is kept as it is; choose another name");
    } else
        status = CLV_OK; /* no database, or a damaged one */
    clv_runfile_close(old, NULL);
    return status;
}

clv_status clv_runfile_claim(clv_runfile *f, const clv_runfile_start *start, bool *created)
{
    *created = false;
    clv_status status = take_name(f, created);
    if (status == CLV_OK && !*created)
        status = clv_output_not_input(f->path, &f->about, start->input, &f->error);
    if (status == CLV_OK && f->about.st_size > 0)
        status = start->over == CLV_OVER_NOTHING ? tell_old(f) : settle_old(f, start->over == CLV_OVER_RUN);
    if (status == CLV_OK)
        status = clv_runfile_remove_logs(f);
    if (status != CLV_OK && *created)
        unlink(f->place);
    return status;
}

/* ------------------------------------------------------------------ logs */

/* PLACE-suffix; NULL when out of memory.  Freed by sqlite3_free. */
static char *beside(const clv_runfile *f, const char *suffix) { return sqlite3_mprintf("%s-%s", f->place, suffix); }

bool clv_runfile_has_logs(const clv_runfile *f)
{
    static const char *const suffix[] = {"wal", "shm", "journal"};
    struct stat about;
    bool any = false;
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
        char *name = beside(f, suffix[i]);
        any = any || !name || lstat(name, &about) == 0;
        sqlite3_free(name);
    }
    return any;
}

clv_status clv_runfile_remove_logs(clv_runfile *f)
{
    static const char *const suffix[] = {"wal", "shm", "journal"};
    clv_status status = CLV_OK;
    for (size_t i = 0; i < sizeof suffix / sizeof suffix[0] && status == CLV_OK; i++) {
        char *name = beside(f, suffix[i]);
        if (!name)
            status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
        else if (unlink(name) != 0 && errno != ENOENT)
            status = clv_fail(&f->error, CLV_ERR_IO, "%s, left by an earlier run, cannot be removed: %s", name,
                              strerror(errno));
        sqlite3_free(name);
    }
    return status;
}

/* The file itself, without its log: "file:PLACE?immutable=1" with what a URI does not take as %XX. */
static char *without_log(const clv_runfile *f)
{
    size_t n = strlen(f->place);
    char *uri = clv_alloc(3 * n + 32, 1), *to = uri;
    if (!uri)
        return NULL;
    to += sprintf(to, "file:");
    for (const char *c = f->place; *c; c++)
        to += strchr("?#%", *c) ? sprintf(to, "%%%02X", (unsigned char)*c) : sprintf(to, "%c", *c);
    sprintf(to, "?immutable=1");
    return uri;
}

clv_status clv_runfile_check_log(clv_runfile *f)
{
    struct stat log;
    char *name = beside(f, "wal"), *uri = without_log(f);
    clv_status status = name && uri ? CLV_OK : clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    long long own = 0, of_log = 1;
    if (status == CLV_OK && name && stat(name, &log) == 0 && log.st_size > 0) {
        clv_runfile *bare = clv_runfile_new(f->path);
        status = bare ? clv_runfile_connect(bare, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
                      : clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
        /* killed while the log was folded in, the file alone cannot be read: only a birth that it does show counts */
        const bool shown = status == CLV_OK && clv_runfile_get_count(bare, "birth", &own) == CLV_OK;
        clv_runfile_close(bare, NULL);
        if (status != CLV_ERR_MEMORY) {
            clv_error_clear(&f->error);
            status = clv_runfile_get_count(f, "birth", &of_log);
        }
        if (status == CLV_OK && shown && own != of_log) {
            status = clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: the log %s beside it is of another run",
                              f->path, name);
            clv_error_hint(&f->error, "move the log away, or back to its own run file; nothing was changed");
        }
    }
    sqlite3_free(name);
    clv_free(uri);
    return status;
}

/* ------------------------------------------------------------------ while writing */

static clv_status gone(clv_runfile *f, const char *name, const char *what)
{
    clv_fail(&f->error, CLV_ERR_IO, "%s was %s by another program during the run", name, what);
    clv_error_hint(&f->error, "data written since then are lost; start the run again");
    return f->error.code;
}

clv_status clv_runfile_check_place(clv_runfile *f)
{
    struct stat now, log;
    if (fstat(f->held, &now) != 0 || !clv_runfile_is_there(f))
        return gone(f, f->path, now.st_nlink == 0 && stat(f->place, &log) != 0 ? "removed" : "moved away or replaced");
    if (now.st_size < f->about.st_size)
        return gone(f, f->path, "cut");
    f->about = now;
    char *name = beside(f, "wal");
    clv_status status = name ? CLV_OK : clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    if (name && stat(name, &log) != 0)
        memset(&log, 0, sizeof log);
    if (name && f->log.st_ino != 0 && !clv_same_file(&log, &f->log))
        status = gone(f, name, log.st_ino == 0 ? "removed" : "replaced");
    if (name)
        f->log = log;
    sqlite3_free(name);
    return status;
}
