"""A command that ends with the process that started it, where that one requests it.

`make` that is killed cannot end what it started, and its recipes cannot read a pipe, as the
process of `lifeline_watch` does.
"""

import os
import signal
import threading
import time
from typing import Final

PARENT: Final = "FES_PARENT"
"""Variable with the process id of the parent that a command ends with."""

LOOK_S: Final = 0.5


def end_with_parent() -> None:
    """Send SIGTERM to this process once the parent that the variable names is gone.

    The variable is removed from the environment: children end with this process.
    """
    parent = os.environ.pop(PARENT, "")
    if parent.isdecimal():
        threading.Thread(target=_watch, args=(int(parent),), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
