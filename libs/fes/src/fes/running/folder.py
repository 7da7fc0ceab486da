"""The folder of a run."""

import os
import time
from pathlib import Path


def make_run_folder(root: Path, name: str = "") -> Path:
    """Return a folder for a run, and let `latest` beside it point there.

    Args:
        root: Folder of all runs.
        name: The run's; the date and time where empty.
    """
    folder = root / (name or time.strftime("%Y%m%d-%H%M%S"))
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    point_latest(folder)
    return folder


def point_latest(folder: Path) -> None:
    """Let `latest`, beside a run's folder, point to it."""
    link = folder.parent / "latest"
    fresh = folder.parent / f".latest-{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(link)
