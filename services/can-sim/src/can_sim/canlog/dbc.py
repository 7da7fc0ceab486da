"""DBC files, as they are found in the field.

Text is UTF-8, else Windows-1252. A file that breaks the rules in places is read without those
places, each of them noted (or refused where strict).
"""

import re
from pathlib import Path

import cantools
from cantools.database import Database
from cantools.database.errors import UnsupportedDatabaseFormatError
from eventservices.canlog.textlines import decoded

from can_sim.errors import InputError
from can_sim.opening import read_bytes
from can_sim.tally import Tally

MAX_MENDS = 20
"""Most bad places that a file may have."""

_LINE = re.compile(r"at line (\d+), column (\d+)")
_UNUSED_VALUES = re.compile(r"unused VAL_.*?VAL_ (\d+) (\w+)", re.DOTALL)
_STATEMENT = re.compile(r"^(BO_|VAL_|CM_|BA_|SG_MUL_VAL_)\s")


def load(path: Path, tally: Tally) -> Database:
    """Return the definitions in a DBC file.

    Args:
        path: The file.
        tally: Counts `dbc_bad_part`: parts left out, and rules broken without harm (overlapping
            signals).

    Raises:
        InputError: The file cannot be read or has more than `MAX_MENDS` bad parts; or has one and
            `tally` is strict.
    """
    lines = _with_sections(decoded(read_bytes(path, tally)).splitlines())
    for _ in range(MAX_MENDS):
        try:
            return _parse("\n".join(lines) + "\n", path, tally)
        except UnsupportedDatabaseFormatError as error:
            reason = " ".join(str(error).split())
            start, end, column = _bad_part(lines, str(error))
            place = InputError(reason, str(path), start + 1 if end else 0, column)
            if not end:
                raise place from error
            tally.bad("dbc_bad_part", place)
            lines[start:end] = [""] * (end - start)
    raise InputError(f"has more than {MAX_MENDS} bad parts", str(path))


def _parse(text: str, path: Path, tally: Tally) -> Database:
    try:
        return _database(text, strict=True)
    except UnsupportedDatabaseFormatError as error:
        database = _database(text, strict=False)
        reason = f"{' '.join(str(error).split())}; read all the same"
        tally.bad("dbc_bad_part", InputError(reason, str(path)))
        return database


def _database(text: str, *, strict: bool) -> Database:
    database = cantools.database.load_string(text, "dbc", strict=strict)
    if not isinstance(database, Database):  # diagnostics come from other formats only
        raise TypeError("a DBC holds no diagnostics")
    return database


def _with_sections(lines: list[str]) -> list[str]:
    """Add the section that ends the list of symbols, where an editor left it out."""
    if any(line.lstrip().startswith("BS_:") or line.strip() == "BS_" for line in lines):
        return lines
    first = next((n for n, line in enumerate(lines) if line.startswith(("BU_", "BO_"))), len(lines))
    nodes = [] if first < len(lines) and lines[first].startswith("BU_") else ["BU_:"]
    return [*lines[:first], "BS_:", *nodes, *lines[first:]]


def _bad_part(lines: list[str], reason: str) -> tuple[int, int, str]:
    """Return the bad statement's first line, its end (0 where unknown) and the column."""
    found = _LINE.search(reason)
    if found:
        start, end = _statement(lines, int(found[1]) - 1)
        return start, end, found[2]
    unused = _UNUSED_VALUES.search(reason)
    for number, line in enumerate(lines) if unused else ():
        if unused and line.split()[:3] == ["VAL_", unused[1], unused[2]]:
            return number, _statement(lines, number)[1], ""
    return 0, 0, ""


def _statement(lines: list[str], number: int) -> tuple[int, int]:
    if number >= len(lines):
        return 0, 0
    start = number
    while start > 0 and not _STATEMENT.match(lines[start]):
        start -= 1
    end = start + 1
    while end < len(lines) and lines[end].strip() and not _STATEMENT.match(lines[end]):
        end += 1
    return start, max(end, number + 1)
