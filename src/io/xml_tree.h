/* SPDX-License-Identifier: Apache-2.0
 * An XML file as a tree of elements in one array.  What a reader looks at is marked as seen: what is left at the end
 * was not carried, and is reported (import_note.c).  Depth is limited; size is proportional to the text. */
#ifndef CLV_IO_XML_TREE_H
#define CLV_IO_XML_TREE_H
#include "io/yaml_read.h"

#define CLV_XML_DEPTH 200

typedef struct clv_xml_attribute {
    unsigned name, value; /* offsets in the pool */
    bool seen;
} clv_xml_attribute;

typedef struct clv_xml_node {
    unsigned line, column;
    unsigned file;       /* index of the file: 0, or one included */
    unsigned name, text; /* offsets in the pool; text 0: none     */
    unsigned attribute, nattribute;
    unsigned parent, first, last, next; /* 0: none */
    bool seen;
} clv_xml_node;

typedef struct clv_xml {
    clv_reader *reader;
    clv_xml_node *node; /* [0] is nobody, its first child the root */
    size_t nnode, node_capacity;
    clv_xml_attribute *attribute;
    size_t nattribute, attribute_capacity;
    char *pool;
    size_t used, pool_capacity;
    char *run; /* text of the element being read */
    size_t nrun, run_capacity;
    unsigned open, file;
    int depth;
} clv_xml;

/* Reads a text below `parent` (0: as the root). False after an error reported to the reader. */
bool clv_xml_read(clv_xml *x, clv_reader *r, const char *text, size_t size, unsigned parent, unsigned file);
void clv_xml_free(clv_xml *x);
/* Is the text XML? */
bool clv_xml_text(const char *text, size_t size);

static inline const char *clv_xml_name(const clv_xml *x, unsigned n)
{
    return x->pool + x->node[n].name;
}
bool clv_xml_is(const clv_xml *x, unsigned n, const char *name);
/* First child and next sibling of that name (NULL: of any), marked as seen where a name is given; 0: none. */
unsigned clv_xml_child(clv_xml *x, unsigned n, const char *name);
unsigned clv_xml_next(clv_xml *x, unsigned n, const char *name);
/* Value of an attribute, marked as seen; NULL: none. */
const char *clv_xml_get(clv_xml *x, unsigned n, const char *name);
const char *clv_xml_content(const clv_xml *x, unsigned n); /* "" if there is none */
void clv_xml_see(clv_xml *x, unsigned n);                  /* the element, its attributes, and all inside it */

#endif
