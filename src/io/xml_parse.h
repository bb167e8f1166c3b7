/* SPDX-License-Identifier: Apache-2.0
 * XML as a stream of events, by expat (xml_expat.c); xml_absent.c stands in where the build leaves it out.  Entities
 * cannot be defined or referenced, but for the five of XML, so a short text stays short. */
#ifndef CLV_IO_XML_PARSE_H
#define CLV_IO_XML_PARSE_H
#include "cleave/cleave.h"
#include <stddef.h>

/* Each returns false to stop; the reason is then known to `user`. */
typedef struct clv_xml_events {
    void *user;
    bool (*open)(void *user, const char *name, const char *const *attribute, unsigned line, unsigned column);
    bool (*text)(void *user, const char *text, size_t size);
    bool (*close)(void *user);
} clv_xml_events;

typedef struct clv_xml_fault {
    clv_status code; /* CLV_OK: an event has stopped the parser */
    unsigned line, column;
    const char *message, *hint;
} clv_xml_fault;

bool clv_xml_present(void);
/* Version of expat as found at run time; "none". */
const char *clv_part_expat(void);
/* False with *fault after an error: CLV_ERR_SYNTAX, CLV_ERR_UNSUPPORTED (entities; a build without expat),
 * CLV_ERR_MEMORY. */
bool clv_xml_parse(const clv_xml_events *events, const char *text, size_t size, clv_xml_fault *fault);

#endif
