/* SPDX-License-Identifier: Apache-2.0
 * A model file as a tree of nodes in one array: libyaml's events without what models may not hold (anchors, aliases,
 * tags, merge keys, second documents, more than 64 levels).  Keys of one mapping differ: a repeated key is reported and
 * left out. Size is proportional to the text; no recursion. */
#ifndef CLV_IO_YAML_READ_TREE_H
#define CLV_IO_YAML_READ_TREE_H
#include <stdbool.h>
#include <stddef.h>

typedef enum clv_yaml_kind { CLV_YAML_SCALAR, CLV_YAML_LIST, CLV_YAML_MAP } clv_yaml_kind;

typedef struct clv_yaml_node {
    unsigned char kind; /* clv_yaml_kind                                             */
    bool plain;         /* scalar without quotes                                     */
    bool refused;       /* already reported: readers pass over it silently           */
    unsigned line, column;
    unsigned text;  /* scalar: offset of its text in the pool, NUL-terminated    */
    unsigned first; /* list, map: first child, 0 none; map: key, value, key, ... */
    unsigned next;  /* next child of the same parent, 0 none                     */
    unsigned count; /* children; of a map: pairs                                 */
} clv_yaml_node;

typedef struct clv_yaml_tree {
    clv_yaml_node *node; /* [0] is nobody, [1] the root */
    unsigned nnode, node_capacity;
    char *pool;
    size_t used, pool_capacity;
} clv_yaml_tree;

struct clv_reader;
/* Fills r->tree; reports to r.  Returns false if there is no tree to read: the text is not well formed, or memory ran
 * out. */
bool clv_yaml_tree_read(struct clv_reader *r, const char *text, size_t size);
void clv_yaml_tree_free(clv_yaml_tree *t);

#endif
