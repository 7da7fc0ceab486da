"""A parser of a command line that reports what is wrong in one line."""

import argparse
import sys
from typing import NoReturn

USAGE = 2


class LineParser(argparse.ArgumentParser):
    """Reads arguments; the parsers of its subcommands are of this class, too."""

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and one line."""
        line = " ".join(message.split())
        sys.stderr.write(f"{self.prog}: {line[:500]}; `{self.prog} --help` shows its options\n")
        raise SystemExit(USAGE)
