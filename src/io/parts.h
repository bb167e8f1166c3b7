/* SPDX-License-Identifier: Apache-2.0
 * Versions of the libraries that files go through, as found at run time. */
#ifndef CLV_IO_PARTS_H
#define CLV_IO_PARTS_H

const char *clv_part_yaml(void);   /* libyaml */
const char *clv_part_sqlite(void); /* SQLite  */

#endif
