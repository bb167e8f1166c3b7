/* SPDX-License-Identifier: Apache-2.0
 * What `cleave report` is made of.  A page is: the beginning of the built viewer, the data of one or two runs in
 * elements of their own, and the end of the viewer, its program.
 *
 *     report_page     writes the page
 *     report_run      a run file and what is chosen of it: bodies, frames, curves
 *     report_model    the mechanism as JSON
 *     report_mesh     visuals: shapes, and meshes of the run file
 *     report_points   where bodies are held
 *     report_plan     how it was divided, as JSON
 *     report_about    results, settings, events and provenance as JSON
 *     report_pack     poses and curves as numbers of 32 bits in base64
 *     report_absent   stands for the viewer in a build without Node */
#ifndef CLV_CLI_REPORT_H
#define CLV_CLI_REPORT_H
#include "cli/command.h"
#include "io/mesh_pack.h"
#include "io/runfile.h"
#include <stdio.h>

/* The viewer as viewer/build.mjs makes it; `begin` is NULL in a build without it. */
typedef struct clv_viewer_page {
    const unsigned char *begin, *end; /* HTML before and behind the data  */
    size_t nbegin, nend;              /* bytes                            */
    const char *made;                 /* "three.js 0.187.0", or why it is absent */
} clv_viewer_page;
extern const clv_viewer_page clv_viewer_page_built;

/* One number over time in the page, a part of a column of the run file, or a derived one. */
typedef struct clv_report_curve {
    const clv_column *column;
    int from, count; /* place in a frame of the run file; components */
} clv_report_curve;

/* A mesh in the page. */
typedef struct clv_report_mesh {
    int visual; /* of the model, the first that shows it */
    clv_packed_mesh packed;
} clv_report_mesh;

typedef struct clv_report {
    clv_runfile *file;
    clv_model *model;
    clv_sim *sim;            /* at the start: what closes loops, what is redundant */
    int width;               /* numbers in a frame of the run file                 */
    long frames, kept;       /* in the run file; in the page                       */
    int stride;              /* every so many-th body is shown                     */
    int nshown, *shown;      /* bodies of the page: number in the model            */
    int *place;              /* (bodies) number in the page, or -1                 */
    int *position, *quaternion; /* (bodies) place in a frame; -1: not there        */
    int ncolumns;            /* of the run file                                    */
    clv_column *column;      /* bound to the model; their texts are the file's     */
    int ncurve, ncolumn;     /* curves in the page; of them, numbers in a frame    */
    clv_report_curve *curve;
    int time, energy[3];     /* places of time; of kinetic, potential, work or -1  */
    int nmesh, lost;         /* meshes in the page; meshes that cannot be read */
    clv_report_mesh *mesh;
    int *mesh_of;            /* (visuals) its mesh, or -1                          */
    double cell;             /* m, to which meshes are simplified; 0: they are not */
    long mesh_bytes;
    const char *left_out;    /* kinds of curves that the page has no room for, or "" */
    char left_text[120];
    clv_error error;
} clv_report;

/* Bytes of a page at most, shared by the viewer and its runs. */
enum { CLV_REPORT_BYTES = 7900000 };
/* Bytes at most of the text of the model that a page shows. */
enum { CLV_REPORT_TEXT = 262144 };

/* ---- report_page.c */
/* A page of one or two run files. */
typedef struct clv_report_job {
    const char *command, *path;
    const char *run[3]; /* up to NULL: n of them */
    int n;
    bool force, json, quiet; /* replace a file; report failures as JSON, too; print no line */
} clv_report_job;
/* Refuses a page in a build without the viewer, and a name that does not end in .html. */
clv_exit clv_report_check(const char *command, bool json, const char *path);
/* "lift" of "runs/lift.cleave", with an ending; false: too long. */
bool clv_report_name(char *text, size_t size, const char *source, const char *ending);
/* Writes the page, and says what of the runs it does not show. */
clv_exit clv_report_page(const clv_report_job *job);

/* ---- report_run.c */
/* Opens a run file and chooses what is shown within so many bytes.  Errors are in r->error; close it in any case. */
clv_status clv_report_open(clv_report *r, const char *path, long bytes);
void clv_report_close(clv_report *r);
/* Frame k of the page: its number in the run file. */
long clv_report_frame(const clv_report *r, long k);

/* ---- report_model.c */
void clv_report_model_json(clv_json *j, const clv_report *r);
/* Lengths and axes with nine digits: enough for 32-bit numbers, and shorter. */
void clv_report_lengths(clv_json *j, const char *key, const double *x, int n);
/* Form, place and colour. */
void clv_report_shape(clv_json *j, const clv_shape *s);

/* ---- report_mesh.c */
/* Reads the meshes of bodies that are shown; they get so many bytes of the page at most.  Errors are in r->error. */
clv_status clv_report_meshes_open(clv_report *r, long bytes);
void clv_report_meshes_close(clv_report *r);
void clv_report_visuals_json(clv_json *j, const clv_report *r);
/* The element of run number `run`. */
void clv_report_meshes_write(const clv_report *r, int run, FILE *out);

/* ---- report_points.c */
enum { CLV_REPORT_POINTS = 24 }; /* of a body at most */
/* Points of all bodies in lists: next[i] is the point after i, or -1. */
typedef struct clv_report_points {
    int *first, *next;
    int n;
    const clv_path_point **path; /* (npath) points of tendons */
    int npath;
} clv_report_points;
/* False: out of memory; release them in any case. */
bool clv_report_points_find(const clv_model *m, clv_report_points *p);
void clv_report_points_release(clv_report_points *p);
/* Points of a body in its axes, m, into all (3 CLV_REPORT_POINTS); their number. */
int clv_report_points_of(const clv_model *m, const clv_report_points *p, int body, double *all);

/* ---- report_plan.c */
void clv_report_plan_json(clv_json *j, const clv_report *r);

/* ---- report_about.c */
void clv_report_about_json(clv_json *j, clv_report *r);

/* ---- report_pack.c */
/* The elements of run number i.  Errors are in r->error; errors of the stream stay there. */
clv_status clv_report_write(clv_report *r, int i, FILE *out);

#endif
