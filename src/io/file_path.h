/* SPDX-License-Identifier: Apache-2.0
 * Names of files relative to other files. */
#ifndef CLV_IO_FILE_PATH_H
#define CLV_IO_FILE_PATH_H

/* How `path`, relative to the working folder, is named in a file `from` (NULL: in the working folder): relative to the
 * folder of `from`, by ../ where needed.  Links in folders are followed.  Freed by clv_free; NULL: out of memory. */
char *clv_path_from(const char *from, const char *path);

#endif
