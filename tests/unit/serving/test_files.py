"""A file is written whole, or stays as it was."""

import errno
import os
import stat
from pathlib import Path

import pytest
from serving.files import whole_file, write_whole


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250)
    write_whole(path, "old")
    write_whole(path, "grüße\n")
    assert path.read_bytes() == "grüße\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def spoilt(path: Path, error: Exception) -> None:
    """Begin to write a file, and fail."""
    with whole_file(path) as stream:
        stream.write("new")
        raise error


@pytest.mark.parametrize("before", [["out"], []])
def test_where_the_disk_is_full_the_file_is_as_it_was_and_named(
    tmp_path: Path, before: list[str]
) -> None:
    for name in before:
        (tmp_path / name).write_text("old")
    with pytest.raises(OSError, match=str(tmp_path / "out")):
        spoilt(tmp_path / "out", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert [each.name for each in tmp_path.iterdir()] == before
    assert all(each.read_text() == "old" for each in tmp_path.iterdir())


def test_a_fault_of_what_is_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(ValueError, match="broken"):
        spoilt(path, ValueError("broken"))
    assert path.read_text() == "old"


def test_a_device_is_written_directly_and_named_where_it_is_full() -> None:
    with pytest.raises(OSError, match="/dev/full"):
        write_whole(Path("/dev/full"), "x")
    write_whole(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "file").read_text() == "text"
    assert (tmp_path / "link").is_symlink()


def test_a_folder_that_is_absent_is_named_as_it_was_given(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent/out"):
        write_whole(tmp_path / "absent" / "out", "x")
