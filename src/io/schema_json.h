/* SPDX-License-Identifier: Apache-2.0
 * The table of schema.h as a JSON Schema (draft 7), for editors that complete and check YAML:
 * docs/model-schema.json. */
#ifndef CLV_IO_SCHEMA_JSON_H
#define CLV_IO_SCHEMA_JSON_H
#include <stdio.h>

void clv_schema_json_write(FILE *out);

#endif
