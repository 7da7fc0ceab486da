"""Distribution lists, as the judge reads them."""

import re


def names(dist_list: str, service: str) -> bool:
    """Return whether a distribution list names an event service.

    Args:
        dist_list: Comma-separated identifiers; `*` any run, `?` exactly one character.
        service: An event service's identifier.

    Source:
        design, section 4.
    """
    return any(_pattern(entry.strip()).fullmatch(service) for entry in dist_list.split(","))


def _pattern(entry: str) -> re.Pattern[str]:
    wild = {"*": ".*", "?": "."}
    return re.compile("".join(wild.get(letter) or re.escape(letter) for letter in entry), re.DOTALL)
