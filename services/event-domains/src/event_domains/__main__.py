"""The command `event-domains`."""

import os
import sys
from collections.abc import Sequence

import uvloop
from eventservices.cns.domains.typed.interfaces import InvalidInterfaceError
from serving import diagnostics
from serving.collector import Collector
from serving.command import command, told

from event_domains import settings
from event_domains.serve import serve

UNAVAILABLE = 1
BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the service.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; 1 where the address is in use or the journal cannot be used; 2 where the file of
        interfaces is not valid. What is wrong is one line on standard error.
    """
    return command("event-domains", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = settings.read(sys.argv[1:] if arguments is None else arguments, os.environ)
    try:
        diagnostics.set_up()
        Collector().settle()
        uvloop.run(serve(options))
    except InvalidInterfaceError as error:
        sys.stderr.write(f"event-domains: {error}\n")
        return BAD_INPUT
    except OSError as error:
        reason = told(error) if error.errno else str(error)
        sys.stderr.write(f"event-domains: {reason}\n")
        return UNAVAILABLE
    return 0


if __name__ == "__main__":
    sys.exit(main())
