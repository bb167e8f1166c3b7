/* SPDX-License-Identifier: Apache-2.0
 * A COLLADA file while it is read: private to mesh_collada.c (scene, nodes, transformations) and mesh_collada_faces.c
 * (lists of faces). */
#ifndef CLV_IO_MESH_COLLADA_H
#define CLV_IO_MESH_COLLADA_H
#include "io/mesh_file.h"
#include "io/xml_tree.h"

typedef struct clv_collada_id {
    const char *id;
    unsigned node;
} clv_collada_id;

typedef struct clv_collada {
    clv_mesh *m;
    clv_xml x;
    clv_collada_id *id; /* elements with an id, sorted */
    size_t nid;
    int visited; /* nodes of the scene, with repetitions */
} clv_collada;

/* A place in space: x -> A x + t. */
typedef struct clv_collada_place {
    double A[9], t[3];
} clv_collada_place;

/* Notes the first problem; always false. */
bool clv_collada_refuse(clv_collada *c, const char *problem);
/* The element of that name that an attribute refers to as "#id"; 0 after a problem. */
unsigned clv_collada_find(clv_collada *c, unsigned n, const char *attribute, const char *name);
/* The next number of a list; false: there is none. */
bool clv_collada_number(const char **text, double *x);
/* All faces of a geometry, at a place. */
bool clv_collada_geometry(clv_collada *c, unsigned n, const clv_collada_place *at);

#endif
