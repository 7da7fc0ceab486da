"""Names made fit for identifiers and licences: safe characters, one of each."""

import re
from collections.abc import Iterable

LICENCE_LENGTH = 7
MAX_NAME_LENGTH = 48

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_FALLBACK_STEM = "FES"


def identifiers(names: Iterable[str], fallback: str) -> dict[str, str]:
    """Return an identifier of letters, digits, `_` and `-` for each name, no two alike.

    A name that is an identifier stays as it is, whatever the others are.

    Args:
        names: Distinct names.
        fallback: Represents a name of which nothing is left.
    """
    wanted = {name: _safe(name) or fallback for name in names}
    taken = {name for name, identifier in wanted.items() if name == identifier}
    result = {}
    for name, identifier in wanted.items():
        result[name] = identifier if name in taken else _free(identifier, taken)
        taken.add(result[name])
    return result


def licences(names: Iterable[str]) -> dict[str, str]:
    """Return a licence of seven printable ASCII characters for each vehicle, no two alike.

    A name that is one already is its own licence. Others give their letters and digits, cut or
    filled to seven (`veh12` gives `VEH0012`); where that is accepted, the next free number.

    Args:
        names: Distinct names; the result depends on their set, not on their order.
    """
    result = {name: name for name in names if _is_licence(name)}
    taken = set(result)
    for name in sorted(set(names) - taken):
        result[name] = _free_licence(name, taken)
        taken.add(result[name])
    return result


def _is_licence(name: str) -> bool:
    return len(name) == LICENCE_LENGTH and name.isascii() and name.isprintable()


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip("_" if _UNSAFE.search(name) else "")[:MAX_NAME_LENGTH]


def _free(identifier: str, taken: set[str]) -> str:
    candidate = identifier
    number = 2
    while candidate in taken:
        candidate = f"{identifier}-{number}"
        number += 1
    return candidate


def _free_licence(name: str, taken: set[str]) -> str:
    text = re.sub(r"[^A-Z0-9]", "", name.upper())
    found = re.fullmatch(r"(.*?)(\d*)", text)
    stem, digits = (found[1], found[2]) if found else ("", "")
    candidate = _seven(stem, digits[-LICENCE_LENGTH:]) if text else ""
    number = 0
    while not candidate or candidate in taken:
        number += 1
        candidate = _seven(stem or _FALLBACK_STEM, f"{number:04d}")
    return candidate


def _seven(stem: str, digits: str) -> str:
    kept = stem[: LICENCE_LENGTH - len(digits)]
    return kept + digits.zfill(LICENCE_LENGTH - len(kept))
