"""`python -m stock_market.natives`: all native clients of the story."""

import argparse
import asyncio
import sys
from pathlib import Path

from eventservices.errors import EventServiceError
from serving.command import command
from serving.parser import LineParser

from stock_market.natives.clients import run
from stock_market.ticks import of_run


def main() -> int:
    """Run the clients until all ticks were traded.

    Returns:
        0; 1 where a broker is away.
    """
    return command("stock_market.natives", _main)


def _main() -> int:
    options = _parser().parse_args()
    try:
        asyncio.run(run(options.run, options.customers, options.floor, of_run(options.run)))
    except EventServiceError as error:
        sys.stderr.write(f"stock_market.natives: {error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = LineParser(prog="python -m stock_market.natives")
    parser.add_argument("--run", type=Path, required=True, help="the run folder")
    parser.add_argument("--customers", required=True, metavar="URL", help="their broker")
    parser.add_argument("--floor", required=True, metavar="URL", help="its broker")
    return parser


if __name__ == "__main__":
    sys.exit(main())
