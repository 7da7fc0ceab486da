"""Nothing that an editor or a merge left is in the project."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
LEFTOVER = re.compile(r"\.(orig|rej|bak|swp|swo|tmp|pyc)$|~$|^#.*#$|(^|/)\.DS_Store$")
MARKER = re.compile(r"\s*(<{7} \S|>{7} \S|={7}$)")
FOLDERS = (
    "libs",
    "services",
    "scenarios",
    "tests",
    "docs",
    "compose",
    "benchmarks",
    "examples",
)
TEXTS = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".txt", ".conf"}


def test_no_leftover_is_committed() -> None:
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    files = done.stdout.splitlines() if done.returncode == 0 else _walked()
    assert files
    assert [file for file in files if LEFTOVER.search(file)] == []


def test_no_marker_of_a_merge_is_left() -> None:
    marked = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in TEXTS and path.is_file()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if MARKER.match(line)
    ]
    assert marked == []


def _walked() -> list[str]:
    """Return the files of an archive, which has no history."""
    found = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file())
    return [str(file) for file in found if "__pycache__" not in file.parts]
