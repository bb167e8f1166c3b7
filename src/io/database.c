/* SPDX-License-Identifier: Apache-2.0
 * Results of SQLite in words, and connections that do not trust the file; see database.h. */
#include "io/database.h"
#include <errno.h>
#include <string.h>

clv_status clv_database_fail(clv_error *e, sqlite3 *db, const char *path, int result, const char *doing,
                             const clv_database_words *words)
{
    const int number = db ? sqlite3_system_errno(db) : errno;
    const char *why = number ? strerror(number) : sqlite3_errstr(result);
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return clv_fail(e, CLV_ERR_MEMORY, "%s: out of memory while %s", path, doing);
    case SQLITE_FULL:
        clv_fail(e, CLV_ERR_IO, "%s: the disk is full while %s", path, doing);
        clv_error_hint(e, "%s", words->full);
        return e->code;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return clv_fail(e, CLV_ERR_IO, "%s is in use by another process", path);
    case SQLITE_NOTADB:
        return clv_fail(e, CLV_ERR_SYNTAX, "%s is not a %s", path, words->kind);
    case SQLITE_CORRUPT:
        return clv_fail(e, CLV_ERR_SYNTAX, "%s is damaged: %s", path, sqlite3_errmsg(db));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return clv_fail(e, CLV_ERR_IO, "%s cannot be written: %s", path, why);
    case SQLITE_IOERR:
        clv_fail(e, CLV_ERR_IO, "%s: %s while %s", path, why, doing);
        if (words->kept)
            clv_error_hint(e, "%s", words->kept);
        return e->code;
    default:
        return clv_fail(e, CLV_ERR_SYNTAX, "%s: %s while %s", path, sqlite3_errmsg(db), doing);
    }
}

void clv_database_distrust(sqlite3 *db)
{
    sqlite3_extended_result_codes(db, 1);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}
