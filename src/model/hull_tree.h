/* SPDX-License-Identifier: Apache-2.0
 * The farthest corner of a hull without a look at all of them (T116.4): corners in a tree of boxes.  Made with the hull
 * (hull.h), which it outlives in no case. */
#ifndef CLV_MODEL_HULL_TREE_H
#define CLV_MODEL_HULL_TREE_H
#include <stdbool.h>

typedef struct clv_hull_node {
    double at[3], half[3]; /* m, box that holds the corners */
} clv_hull_node;

/* Node k has the nodes 2 k + 1 and 2 k + 2 below it, with half of its corners each. */
typedef struct clv_hull_tree {
    int n;               /* corners                                      */
    int *corner;         /* (n) in the order of the tree                 */
    double *x;           /* (n x 3) m, in that order                     */
    clv_hull_node *node; /* NULL: few corners, all of which are compared */
} clv_hull_tree;

/* Of n corners x (n x 3); false: out of memory. */
bool clv_hull_tree_make(clv_hull_tree *t, const double *x, int n);
void clv_hull_tree_free(clv_hull_tree *t);
/* The corner that is farthest along d; of equal ones the first. */
int clv_hull_tree_farthest(const clv_hull_tree *t, const double d[3]);

#endif
