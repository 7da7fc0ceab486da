"""The folder of a run: a new one each time, and only so many are kept."""

import re
import shutil
import time
from pathlib import Path

FEDERATION = "federation.yaml"

_NAME = re.compile(r"(\d{8}-\d{6})(?:-(\d+))?")


def make_folder(runs: Path) -> Path:
    """Return a new folder, named by the date and time.

    Args:
        runs: Folder of all runs; made where absent.
    """
    name = time.strftime("%Y%m%d-%H%M%S")
    runs.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = runs / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def remove_oldest(runs: Path, keep: int) -> tuple[Path, ...]:
    """Remove all but the newest runs; return the folders that went.

    Args:
        runs: Folder of all runs; what is not named as a run is left alone.
        keep: Runs that stay, at least 1.
    """
    found = [(match, path) for path in runs.iterdir() if (match := _NAME.fullmatch(path.name))]
    found.sort(key=lambda each: (each[0][1], int(each[0][2] or 1)))
    old = tuple(path for _, path in found[: -max(1, keep)])
    for path in old:
        shutil.rmtree(path)
    return old
