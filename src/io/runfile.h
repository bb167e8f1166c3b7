/* SPDX-License-Identifier: Apache-2.0
 * The run file: one SQLite database that holds a run; tables and columns are described in docs/run-file.md.
 *
 *   runfile.c         the handle, errors, opening and closing
 *   runfile_place.c   the name, the file, the lock and the log beside it
 *   runfile_sum.c     sums over everything
 *   runfile_create.c  a new file with all that is known at the start
 *   runfile_write.c   frames, checkpoints, events, summary
 *   runfile_read.c    columns, settings, the model, the rest
 *   runfile_frames.c  frames by number
 *   runfile_mesh.c    files of meshes
 *
 * Frames are kept in chunks of a fixed number of frames; a chunk is committed when it is full, with every checkpoint,
 * and when a second has passed.  A process that is killed loses what was not committed, never more.  One process writes
 * a file at a time; any number reads. Errors go to clv_runfile_error: CLV_ERR_IO (disk full, no permission, in use),
 * CLV_ERR_SYNTAX (not a run file, damaged), CLV_ERR_UNSUPPORTED (of a newer format), CLV_ERR_MODEL (no such file),
 * CLV_ERR_USAGE, CLV_ERR_MEMORY. */
#ifndef CLV_IO_RUNFILE_H
#define CLV_IO_RUNFILE_H
#include "cleave/cleave.h"
#include "io/columns.h"

#define CLV_RUNFILE_APPLICATION 0x636c7672 /* "clvr" */
#define CLV_RUNFILE_FORMAT 2

typedef struct clv_runfile clv_runfile;

typedef struct clv_runfile_settings {
    clv_sim_options sim;
    double end, every, checkpoint; /* s: end of the run, output interval, checkpoint interval (0: none)  */
    bool reactions;                /* joint forces in every frame                                         */
} clv_runfile_settings;

/* Who computes; every text may be NULL. */
typedef struct clv_runfile_machine {
    const char *version, *compiler, *system, *cpu;
    int lanes;
} clv_runfile_machine;

/* What a new file may replace. */
typedef enum clv_runfile_over {
    CLV_OVER_RUN,     /* an earlier run file          */
    CLV_OVER_NOTHING, /* nothing but an empty file    */
    CLV_OVER_ANY      /* any regular file             */
} clv_runfile_over;

/* What a new file starts with. */
typedef struct clv_runfile_start {
    const clv_model *model;
    const char *text;   /* YAML of the model       */
    size_t size;        /* bytes                   */
    const char *parameters; /* values given in place of the text's, "name=value" by lines; NULL: none */
    const char *source; /* file or example name    */
    const char *columns; /* of every frame, as of clv_columns_create; NULL: the usual ones */
    clv_runfile_settings settings;
    clv_runfile_machine machine;
    clv_runfile_over over;
    const char *const *input; /* names of files that are read and must not be replaced, up to NULL; or NULL */
} clv_runfile_start;

typedef struct clv_runfile_event {
    double time;                     /* s            */
    char kind[32];                   /* assembly_moved, truncation_begins, truncation_ends, failure */
    char text[512];
} clv_runfile_event;

/* One `run` or `resume`: when (UTC), by which program on which machine. */
typedef struct clv_runfile_session {
    char started[40], version[40], compiler[192], system[192], cpu[192];
    int lanes;
    double wall; /* s, up to its last checkpoint or end */
} clv_runfile_session;

/* On failure *file carries the error (NULL only when out of memory); close it as usual.
 * `create` replaces in one stroke what `over` allows, and refuses the rest with CLV_ERR_USAGE or, if only run files may
 * be replaced, CLV_ERR_SYNTAX.  `continue` opens for writing, `open` for reading; both check all sums but those of
 * frames, which are checked as they are read, and `continue` checks those too.  `open_damaged` opens for reading what
 * is left of a damaged file. */
clv_status clv_runfile_create(clv_runfile **file, const char *path, const clv_runfile_start *start);
clv_status clv_runfile_continue(clv_runfile **file, const char *path, const clv_runfile_machine *machine);
clv_status clv_runfile_open(clv_runfile **file, const char *path);
clv_status clv_runfile_open_damaged(clv_runfile **file, const char *path);
/* Folds everything into the one file (unless somebody reads it just now).  What a full disk does not allow stays in
 * FILE-wal.  After a finished run the file is read back: CLV_ERR_IO if it does not hold what was written. */
clv_status clv_runfile_close(clv_runfile *file, clv_error *error);
const clv_error *clv_runfile_error(const clv_runfile *file);

/* ------------------------------------------------------------------ writing */

/* Appends the output state of sim.  Joint forces that cannot be computed there are NaN. */
clv_status clv_runfile_frame(clv_runfile *file, clv_sim *sim);
/* Appends a frame of numbers (width). */
clv_status clv_runfile_put(clv_runfile *file, const double *frame);
/* Commits everything, and a saved state of whatever kind; the last two are kept.  time: s, of the state; wall: s, of
 * this session. */
clv_status clv_runfile_put_state(clv_runfile *file, double time, const void *bytes, size_t size, double wall);
/* The last saved state that is sound (clv_free *bytes), and back to it, as clv_runfile_restore; *bytes NULL: there is
 * none, and the file begins anew. */
clv_status clv_runfile_take_state(clv_runfile *file, void **bytes, size_t *size);
/* Commits everything, and the simulation; `truncated`: a truncation continues.  The last two are kept.  wall: s, of
 * this session. */
clv_status clv_runfile_checkpoint(clv_runfile *file, const clv_sim *sim, bool truncated, double wall);
/* Loads the last checkpoint, if there is one, and goes back to it: frames and events behind it are overwritten one by
 * one. */
clv_status clv_runfile_restore(clv_runfile *file, clv_sim *sim, bool *truncated);
/* Loads the last sound checkpoint that is not after `time` (s); false: there is none, and sim is as it was. */
bool clv_runfile_load_before(clv_runfile *file, clv_sim *sim, double time);
/* A later end; the summary goes. */
clv_status clv_runfile_set_end(clv_runfile *file, double end);
clv_status clv_runfile_put_event(clv_runfile *file, double time, const char *kind, const char *text);
/* Commits the rest and the summary; `status` as in JSON.  wall: s, of this session. */
clv_status clv_runfile_finish(clv_runfile *file, const clv_sim *sim, const char *status, double wall);
/* The same with a report, at a time (s). */
clv_status clv_runfile_finish_with(clv_runfile *file, const clv_sim_report *report, double time, const char *status,
                                   double wall);

/* ------------------------------------------------------------------ reading */

const char *clv_runfile_text(const clv_runfile *file, size_t *size);  /* the model, YAML       */
const char *clv_runfile_source(const clv_runfile *file);
/* Reads the model of the file, with the parameters of its run; on failure *model carries the errors. */
clv_status clv_runfile_model(const clv_runfile *file, clv_model **model);
const clv_runfile_settings *clv_runfile_get_settings(const clv_runfile *file);
const clv_column *clv_runfile_columns(const clv_runfile *file, int *count);
int clv_runfile_width(const clv_runfile *file);     /* numbers in a frame                                 */
long clv_runfile_frames(const clv_runfile *file);   /* committed; while writing: written                  */
double clv_runfile_wall(const clv_runfile *file);   /* s, of all earlier sessions                         */
/* s, of the last frame; 0 if there is none that can be read. */
double clv_runfile_reached(clv_runfile *file);
/* Frames first .. first+n-1 to out (n x width). */
clv_status clv_runfile_read(clv_runfile *file, long first, long n, double *out);
/* Frames are kept in chunks of so many; each is intact or lost. */
long clv_runfile_chunk_frames(const clv_runfile *file);
/* After open_damaged: is frame i intact?  And what else is damaged, in words; "" if nothing. */
bool clv_runfile_intact(clv_runfile *file, long i);
const char *clv_runfile_damage(const clv_runfile *file);
/* Event i from 0; CLV_ERR_USAGE if there is none. */
clv_status clv_runfile_event_at(clv_runfile *file, int i, clv_runfile_event *event);
/* Session i from 0; CLV_ERR_USAGE if there is none. */
clv_status clv_runfile_session_at(clv_runfile *file, int i, clv_runfile_session *session);
/* A row of the summary: a number (NaN if it is none) and, if `text` is not NULL, its text.  False if the run is not
 * finished. */
bool clv_runfile_summary(clv_runfile *file, const char *name, double *number, char *text, size_t size);

/* Content (*size bytes, freed by clv_free) of the mesh that a visual of the model shows; *data is NULL if the file has
 * none for it. */
clv_status clv_runfile_mesh(clv_runfile *file, const clv_model *m, int visual, char **data, size_t *size);

/* Version of SQLite as found at run time. */
const char *clv_part_sqlite(void);

#endif
