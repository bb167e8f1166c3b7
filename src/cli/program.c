/* SPDX-License-Identifier: Apache-2.0
 * The process `cleave`.  Everything else of the command line is a library, which tests call. */
#include "cli/command.h"

int main(int argc, char **argv)
{
    return clv_main(argc, argv);
}
