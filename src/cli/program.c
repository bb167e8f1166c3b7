/* SPDX-License-Identifier: Apache-2.0
 * The process `cleave`.  Everything else of the command line is a library, which tests call. */
#include "cli/command.h"
#include <signal.h>

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is told as such, and the process lives to tell it */
    return clv_main(argc, argv);
}
