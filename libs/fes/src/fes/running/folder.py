"""The folder of a run."""

import os
import time
from pathlib import Path


def make_run_folder(root: Path, name: str = "") -> Path:
    """Create a folder for a run, and point `latest` beside it there.

    Args:
        root: Folder of all runs.
        name: Name of the run; the date and time where empty.
    """
    folder = root / (name or time.strftime("%Y%m%d-%H%M%S"))
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    point_latest(folder)
    return folder


def point_latest(folder: Path) -> None:
    """Point `latest`, beside a run's folder, to it."""
    link = folder.parent / "latest"
    fresh = folder.parent / f".latest-{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(link)
