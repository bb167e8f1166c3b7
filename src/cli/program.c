/* SPDX-License-Identifier: Apache-2.0
 * The process `cleave`.  Everything else of the command line is a library, which tests call. */
#include "base/ranks.h"
#include "cli/command.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

/* One of several processes that expect MPI: the program with MPI, beside this one, takes over (docs/ranks.md). */
static int take_over(char **argv)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 8);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) {
        memcpy(slash + 1, "cleave-mpi", sizeof "cleave-mpi");
        execv(path, argv);
    }
    fprintf(stderr, "cleave %s: several processes were started, but there is no cleave-mpi beside this program\n"
                    "  build it with MPI (Debian, Ubuntu: libopenmpi-dev), or start one process\n", argv[1]);
    return CLV_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (!fill_standard_descriptors())
        return CLV_EXIT_RESOURCES;
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is reported, and the process continues */
    if (argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "resume") == 0) && clv_ranks_wanted())
        return take_over(argv);
    return clv_main(argc, argv);
}
