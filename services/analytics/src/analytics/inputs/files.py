"""Files in a folder, wherever it is: on this machine, or on what Hadoop reaches."""

import os
import shutil
from pathlib import Path
from typing import Protocol


class Files(Protocol):
    """A folder. Paths are relative to it, with `/`."""

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Return the files in a folder, each with its length in bytes; none where it is absent."""

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the folders in a folder; none where it is absent."""

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return bytes of a file, fewer where it ends before.

        Raises:
            FileNotFoundError: It is not there.
        """

    def write(self, path: str, content: bytes) -> None:
        """Put content in the place of a file, whole or not at all."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that it holds; harmless where there is none."""

    def uri(self, path: str = "") -> str:
        """Return what Spark calls a file or a folder."""


class LocalFiles:
    """A folder of this machine.

    Args:
        root: The folder; may be absent.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Return the files in a folder, each with its length in bytes; none where it is absent."""
        try:
            with os.scandir(self.root / folder) as entries:
                return {one.name: one.stat().st_size for one in entries if one.is_file()}
        except FileNotFoundError:
            return {}

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the folders in a folder; none where it is absent."""
        place = self.root / folder
        return [one.name for one in place.iterdir() if one.is_dir()] if place.is_dir() else []

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return bytes of a file, fewer where it ends before."""
        with (self.root / path).open("rb") as file:
            file.seek(start)
            return file.read(length)

    def write(self, path: str, content: bytes) -> None:
        """Put content in the place of a file, whole or not at all."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.part")
        draft.write_bytes(content)
        draft.replace(place)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that it holds; harmless where there is none."""
        place = self.root / path
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def uri(self, path: str = "") -> str:
        """Return what Spark calls a file or a folder."""
        return f"file://{self.root}/{path}".rstrip("/")
