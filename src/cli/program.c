/* SPDX-License-Identifier: Apache-2.0
 * The process `cleave`.  Everything else of the command line is a library, which tests call. */
#include "cli/command.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Standard input, output or error that was closed is put in place, so that no file opened later takes its number and
 * gets what is printed.  Reading from it or writing to it fails, as it would have. */
static bool fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_standard_descriptors())
        return CLV_EXIT_RESOURCES;
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is reported, and the process continues */
    return clv_main(argc, argv);
}
