/* SPDX-License-Identifier: Apache-2.0
 * A random mechanism while it is being built; used by random_*.c only.  Names and poses first,
 * then joints where they fit. */
#ifndef ORACLE_RANDOM_BUILDER_H
#define ORACLE_RANDOM_BUILDER_H
#include "oracle/oracle_vector.h"
#include "oracle/random_system.h"

enum { MAX_BODY = 512, MAX_CLOSING = 512 };

typedef struct builder {
    random_stream s;
    random_kind kind;
    clv_model *m;
    clv_status status;
    int n, nclosing;
    int parent[MAX_BODY];            /* -1 ground; -2: none, floats                              */
    int closing[MAX_CLOSING][2];     /* bodies or -1                                             */
    real r[MAX_BODY][3], R[MAX_BODY][9];
    clv_joint_kind joint[MAX_BODY];  /* kind of the tree joint of a body                         */
    int joint_index[MAX_BODY];       /* its index in the model; -1 none                          */
    double joint_q[MAX_BODY];        /* its first coordinate                                     */
    double frame_p[MAX_BODY][3], frame_e[MAX_BODY][4]; /* its frame in the body                  */
    int left[MAX_BODY];              /* freedoms of the tree joint not yet taken by closing rows */
    real normal[3];                  /* planar systems: normal of the plane                      */
    bool planar, placed, forced_tree, forced_cut, driven;
    double decades, size;            /* mass range, length scale                                 */
    random_info info;
} builder;

/* keeps the first status that is not CLV_OK */
void builder_note(builder *b, clv_status st);
extern const int builder_freedoms[CLV_JOINT_KINDS];

/* random_graph.c: parents and pairs of bodies to close */
void builder_connect(builder *b);

/* random_geometry.c */
void builder_vector(builder *b, double size, double x[3]);
void builder_quaternion(builder *b, double e[4]);
void builder_rotation(const double e[4], real R[9]);
/* Global joint frame for a kind: any, or in planar systems one whose freedom stays in the plane. */
void builder_frame(builder *b, clv_joint_kind kind, real F[9]);
/* Relative pose of the joint frames at coordinates q. */
void builder_relative(clv_joint_kind kind, double pitch, const double *q, real R[9], real d[3]);
void builder_coordinates(builder *b, clv_joint_kind kind, double *q);
void builder_pose(const builder *b, int body, real r[3], real R[9]); /* of a body or the ground */
/* The global frame (x, F) in body axes, rounded as the model gets it. */
void builder_attach(const builder *b, int body, const real x[3], const real F[9], double p[3], double e[4]);

/* random_joints.c */
void builder_tree(builder *b); /* bodies and tree joints */
void builder_close(builder *b, int k);
void builder_second_hinge(builder *b);
#endif
