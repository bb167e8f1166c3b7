/* SPDX-License-Identifier: Apache-2.0
 * Colour on a terminal; see tone.h. */
#include "cli/tone.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *clv_tone_begin(clv_tone tone)
{
    static const char *const code[] = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;31m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if ((no && *no) || (term && strcmp(term, "dumb") == 0) || !isatty(STDOUT_FILENO))
        return "";
    return code[tone];
}
