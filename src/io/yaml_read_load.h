/* SPDX-License-Identifier: Apache-2.0
 * Forces, seen from yaml_read_item. */
#ifndef CLV_IO_YAML_READ_LOAD_H
#define CLV_IO_YAML_READ_LOAD_H
#include "io/yaml_read.h"

/* Section of the schema for the kind of the force at `key`; false after an error. */
bool clv_force_section(clv_reader *r, const clv_yaml_node *key, const char *path, clv_section *section);
bool clv_make_force(clv_entry *e, const char *name);

#endif
