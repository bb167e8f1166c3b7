/* SPDX-License-Identifier: Apache-2.0
 * Formats of `cleave export` with files of their own; those of tables are in command_export.c. */
#ifndef CLV_CLI_EXPORT_H
#define CLV_CLI_EXPORT_H
#include "cli/command.h"
#include "io/columns.h"
#include "io/output.h"

/* export_gltf.c: the motion of a run file as glTF (.glb).  It reports failures. */
clv_exit clv_export_gltf(const char *run, const char *path, const clv_output_rule *rule);

/* Frames to be written, one after the other. */
typedef struct clv_export_frames {
    const clv_column *column; /* (ncolumn) */
    int ncolumn, width;       /* columns; numbers in a frame */
    long frames;
    const char *source;       /* of the model */
    void *from;
    clv_status (*next)(void *from, double *frame); /* reads the next one */
} clv_export_frames;

/* export_hdf5.c: the frames as HDF5 (.h5).  Errors: those of `next`, CLV_ERR_MEMORY; those of the stream stay there. */
clv_status clv_export_hdf5(const clv_export_frames *x, FILE *out);
/* A column whose name HDF5 does not allow; NULL: there is none. */
const char *clv_export_hdf5_bad_name(const clv_column *column, int n);

#endif
