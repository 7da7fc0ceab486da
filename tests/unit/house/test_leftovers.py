"""Nothing that an editor or a merge left is in the project."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
LEFTOVER = re.compile(r"\.(orig|rej|bak|swp|swo|tmp|pyc)$|~$|^#.*#$|(^|/)\.DS_Store$")


def test_no_leftover_is_committed() -> None:
    words = ("git", "ls-files", "--cached", "--others", "--exclude-standard")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    files = done.stdout.splitlines() if done.returncode == 0 else _walked()
    assert files
    assert [file for file in files if LEFTOVER.search(file)] == []


def _walked() -> list[str]:
    """Return the files of an archive, which has no history."""
    folders = (
        "libs",
        "services",
        "scenarios",
        "tests",
        "docs",
        "compose",
        "benchmarks",
        "examples",
    )
    found = (file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file())
    return [str(file) for file in found if "__pycache__" not in file.parts]
