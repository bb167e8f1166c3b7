/* SPDX-License-Identifier: Apache-2.0
 * Colour on a terminal, where it helps: headings, verdicts, warnings.  None if standard output is no terminal, if
 * NO_COLOR is set and not empty (https://no-color.org), or if TERM is "dumb". */
#ifndef CLV_CLI_TONE_H
#define CLV_CLI_TONE_H

typedef enum clv_tone {
    CLV_TONE_PLAIN, /* ends the others */
    CLV_TONE_BOLD,
    CLV_TONE_DIM,
    CLV_TONE_GOOD,  /* green  */
    CLV_TONE_WARN,  /* yellow */
    CLV_TONE_BAD    /* red    */
} clv_tone;

/* What to print before the text; "" where there is no colour. */
const char *clv_tone_begin(clv_tone tone);

#endif
