/* SPDX-License-Identifier: Apache-2.0
 * What run files and sweep files share as SQLite databases: results of SQLite in words, and a connection that executes
 * nothing that a file holds. */
#ifndef CLV_IO_DATABASE_H
#define CLV_IO_DATABASE_H
#include "base/error.h"
#include <sqlite3.h>

typedef struct clv_database_words {
    const char *kind; /* "run file"                                             */
    const char *full; /* hint where the disk is full                            */
    const char *kept; /* hint where reading or writing fails, or NULL           */
} clv_database_words;

/* Fills e by a result of SQLite, or of opening the file `path` (db NULL: errno); doing: "reading". */
clv_status clv_database_fail(clv_error *e, sqlite3 *db, const char *path, int result, const char *doing,
                             const clv_database_words *words);
/* No trigger, view or function of the schema runs; results have their extended codes. */
void clv_database_distrust(sqlite3 *db);

#endif
