/* SPDX-License-Identifier: Apache-2.0
 * glTF 2.0 in one file (.glb): a node a body that moves over time, with boxes, balls and rods as its children.
 *
 *     gltf_geometry   unit box, ball and rod, and the parts that stand for a body
 *     gltf_scene      buffers, accessors and materials as JSON
 *     export_gltf     poses, and the file
 *     usd_scene       the same as USD text (.usda), with the meshes of the model */
#ifndef CLV_CLI_GLTF_H
#define CLV_CLI_GLTF_H
#include "cli/report.h"

/* CLV_GLTF_FORMS: the own surface of a body, a convex hull or a bore. */
typedef enum clv_gltf_form { CLV_GLTF_BOX, CLV_GLTF_BALL, CLV_GLTF_ROD, CLV_GLTF_FORMS } clv_gltf_form;

/* One of the unit forms: a box of edge 1, a ball of radius 1, a rod of radius 1 and length 1 along z, about 0. */
typedef struct clv_gltf_mesh {
    float *position, *normal; /* (n x 3)                       */
    unsigned short *index;    /* (nindex), triangles; NULL: three vertices each, in order */
    int n, nindex;
} clv_gltf_mesh;
/* False: out of memory; release it in any case. */
bool clv_gltf_mesh_make(clv_gltf_mesh *m, clv_gltf_form form);
/* The surface of a shape, empty where it has none of its own (faces.h); the same. */
bool clv_gltf_mesh_own(clv_gltf_mesh *m, const struct clv_body *b);
void clv_gltf_mesh_release(clv_gltf_mesh *m);

/* A unit form at its place on a body. */
typedef struct clv_gltf_part {
    clv_gltf_form form;
    double at[3];     /* m, from the centre of mass, body axes */
    double turn[4];   /* w x y z, form to body                 */
    double size[3];   /* factors along the axes of the form    */
} clv_gltf_part;
enum { CLV_GLTF_PARTS = 2 * CLV_REPORT_POINTS + 2 };

/* The radius of rods that fits the size of the bodies, m. */
double clv_gltf_radius(const clv_report *r, const clv_report_points *p);
/* The parts of a body: its shape, or rods between its points; their number. */
int clv_gltf_parts(const clv_report *r, const clv_report_points *p, int body, double radius,
                   clv_gltf_part part[CLV_GLTF_PARTS]);

/* What the binary part of the file holds, in this order: the unit forms (positions, normals, indices of each), the
 * times, and of every body its translations and rotations.  Then come the own surfaces (positions, normals). */
typedef struct clv_gltf {
    const clv_report *run;
    const clv_report_points *points;
    clv_gltf_mesh mesh[CLV_GLTF_FORMS];
    clv_gltf_mesh *own;    /* (bodies)                                       */
    long frames;           /* in the file                                    */
    float *time, *pose;    /* (frames), (bodies x 7 frames): 3 frames, then 4 */
} clv_gltf;
/* Bytes of the binary part. */
double clv_gltf_bytes(const clv_gltf *g);
void clv_gltf_json(const clv_gltf *g, FILE *out);
void clv_usd_write(const clv_gltf *g, FILE *out);

#endif
