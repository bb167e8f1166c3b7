/* SPDX-License-Identifier: Apache-2.0
 * Versions of the libraries that files go through; see parts.h. */
#include "io/parts.h"
#include <sqlite3.h>
#include <yaml.h>

const char *clv_part_yaml(void) { return yaml_get_version_string(); }
const char *clv_part_sqlite(void) { return sqlite3_libversion(); }
