"""`can-sim convert`: any CAN log as candump text."""

import argparse
import sys
from collections.abc import Iterator

from serving.files import whole_file

from can_sim.canlog.candump import format_frame
from can_sim.canlog.reader import read_frames
from can_sim.tally import Tally


def command(options: argparse.Namespace) -> dict[str, object]:
    """Write the log's frames, in its order, as lines of candump's log form.

    Frames without a time are left out and counted (`no_time`).

    Returns:
        A summary, for people and scripts.

    Raises:
        InputError: The log cannot be read, or a line is broken and the options are strict.
        OSError: The output cannot be written; what was there before stays.
    """
    tally = Tally(strict=options.strict)
    lines = _lines(options, tally)
    count = 0
    if options.out is None:
        for line in lines:
            sys.stdout.write(line)
            count += 1
    else:
        with whole_file(options.out, newline="") as stream:
            for line in lines:
                stream.write(line)
                count += 1
    return {"frames": count, **tally.summary()}


def _lines(options: argparse.Namespace, tally: Tally) -> Iterator[str]:
    for frame in read_frames(options.log, tally):
        if frame.time_us is None:
            tally.skip("no_time")
        else:
            tally.take()
            yield format_frame(frame, direction=options.direction) + "\n"
