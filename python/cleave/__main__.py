# SPDX-License-Identifier: Apache-2.0
"""The program ``cleave``: ``python -m cleave run loader``."""
import signal
import sys

from . import _core


def main() -> int:
    """Run the command line with the words of the process; returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has no handler of its own
    return _core.main(["cleave", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
