/* SPDX-License-Identifier: Apache-2.0
 * SDF, the format of Gazebo (SDFormat 1.4 to 1.12), as links and joints.
 *
 *     sdf_read    the file: worlds, models, the tree of links
 *     sdf_frame   names and poses of models, links, joints and frames
 *     sdf_link    inertia, shapes
 *     sdf_joint   kinds, axes, springs, dampers, limits
 *
 * An item is an element that has a pose.  Poses are found in the world first, since any item may refer to any other;
 * those of links in their parents follow from them. */
#ifndef CLV_IO_SDF_H
#define CLV_IO_SDF_H
#include "io/import.h"

typedef enum clv_sdf_kind { CLV_SDF_MODEL, CLV_SDF_LINK, CLV_SDF_JOINT, CLV_SDF_FRAME } clv_sdf_kind;

enum { CLV_SDF_WORLD = -1, CLV_SDF_NONE = -2 }; /* in the place of an item */

typedef struct clv_sdf_item {
    clv_sdf_kind kind;
    unsigned node;
    const char *name;  /* with those of the models around it: "cart::wheel" */
    const char *shown; /* the same in the model of cleave */
    int scope;         /* item of the model around it, or the world */
    int link;          /* of clv_import: of a link */
    bool fixed;        /* of a static model */
    bool sought, known;
    clv_frame at; /* in the world, once known */
} clv_sdf_item;

typedef struct clv_sdf {
    clv_import *I;
    CLV_LIST_OF(clv_sdf_item, item);
    clv_map names; /* of items, in full */
    bool old_axes;      /* axes without expressed_in are in the frame of the model */
    bool old_gravity;   /* it is in <physics> */
    bool old_names;     /* a joint may have the name of a link: nothing can refer to a joint */
    bool single; /* one model: its name is no part of others */
    double gravity[3];
    int collisions;     /* of links that move */
    unsigned collision; /* the first of them */
} clv_sdf;

/* ---- sdf_frame.c */
/* A new item; CLV_SDF_NONE after an error (reported). */
int clv_sdf_add(clv_sdf *S, clv_sdf_kind kind, unsigned node, int scope, bool fixed);
/* The item that a name means in the model `scope`, or the world; CLV_SDF_NONE: reported at node. */
int clv_sdf_find(clv_sdf *S, unsigned node, int scope, const char *name);
/* Pose of an item in the world; false after an error.  depth: 0. */
bool clv_sdf_place(clv_sdf *S, int item, int depth);
/* The link (of clv_import) with which an item moves; the world: CLV_SDF_WORLD.  CLV_SDF_NONE: reported at node. */
int clv_sdf_link_of(clv_sdf *S, unsigned node, int item);
/* Pose of an element inside `item` (inertial, visual, collision), in the frame of the item. */
void clv_sdf_inner_pose(clv_sdf *S, unsigned element, int item, clv_frame *f);
/* Text of a child element, NULL: there is none. */
const char *clv_sdf_text(clv_sdf *S, unsigned node, const char *child);
/* A child's text as a number, infinite from 1e16 on, as SDF has it; `standard` where there is none. */
double clv_sdf_number(clv_sdf *S, unsigned node, const char *child, double standard);
bool clv_sdf_numbers(clv_sdf *S, unsigned node, const char *child, double *x, int n);
/* true or 1, false or 0 */
bool clv_sdf_flag(clv_sdf *S, unsigned node, const char *child, bool standard);

/* ---- sdf_link.c, sdf_joint.c */
void clv_sdf_link(clv_sdf *S, int item);
void clv_sdf_joint(clv_sdf *S, int item);
/* Joints that follow others, after all joints. */
void clv_sdf_mimic(clv_sdf *S, int item);

#endif
