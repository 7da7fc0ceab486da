"""The file of a naming server: its domain, its parent, its children, and static links.

Source:
    Smart-building thesis, section 5.7.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eventservices.bus.errors import EventNameError
from eventservices.bus.names import ROOT, check_domain, domain_of, lies_in, parent_of
from serving.text import decode, read_bytes

THIS: Final = "***THIS_DOMAIN_IS***"
MOST_LINKS: Final = 10_000
MOST_BYTES: Final = 4 * 1024 * 1024


class LinksError(ValueError):
    """Raised when a file of static links is not valid; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Links:
    """Where a naming server is.

    Attributes:
        domain: That it serves.
        others: Servers of other domains; a child's is one label longer than the own, the parent's
            is above it, any other is a static link.
    """

    domain: str
    others: dict[str, str] = field(default_factory=dict)

    @property
    def parent(self) -> str | None:
        """Server of the nearest domain above that is known; None where there is none."""
        domain = self.domain
        while domain != ROOT:
            domain = parent_of(domain)
            if domain in self.others:
                return self.others[domain]
        return None

    def route(self, name: str) -> tuple[str, ...]:
        """Return the servers for a name, the likeliest first; none where it is the own."""
        domain, found = domain_of(name), []
        inside = lies_in(name, self.domain)
        while True:
            if domain == self.domain and inside:
                break
            if domain in self.others:
                found.append(self.others[domain])
            if domain == ROOT:
                break
            domain = parent_of(domain)
        parent = self.parent
        if not inside and parent is not None:
            found.append(parent)
        return tuple(dict.fromkeys(found))


def read_links(path: Path) -> Links:
    """Return the content of a file.

    Raises:
        LinksError: It cannot be read, or a line is not valid.
    """
    try:
        data = read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise LinksError(f"{path}: {error.strerror or error}") from error
    try:
        text = decode(data)
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # as Java wrote such files; only comments may have it
    return parse_links(text, str(path))


def parse_links(text: str, place: str = "links") -> Links:
    """Return the content of a file's text.

    Args:
        text: Lines `domain=server`; one begins with `***THIS_DOMAIN_IS***`. Those that begin with
            `#` are comments, empty ones are skipped.
        place: Names the file in errors.

    Raises:
        LinksError: A line is not valid.
    """
    domain, others = "", {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        key, equals, value = (part.strip() for part in stripped.partition("="))
        where = f"{place}:{number}"
        if not equals or not value:
            raise LinksError(f"{where}: expected `domain=server`, found {stripped[:80]!r}")
        if key == THIS:
            if domain:
                raise LinksError(f"{where}: the own domain is there twice")
            domain = _domain(value, where)
        elif _domain(key, where) in others:
            raise LinksError(f"{where}: domain {key!r} is there twice")
        else:
            others[key] = _server(value, where)
        if len(others) > MOST_LINKS:
            raise LinksError(f"{where}: more than {MOST_LINKS} links")
    if not domain:
        raise LinksError(f"{place}: no line `{THIS}=domain`")
    if domain in others:
        raise LinksError(f"{place}: {domain!r} is the own domain, and has another server, too")
    return Links(domain, others)


def _domain(text: str, where: str) -> str:
    try:
        return check_domain(text)
    except EventNameError as error:
        raise LinksError(f"{where}: {error}") from error


def _server(text: str, where: str) -> str:
    """Return the name of a server, which is a part of a NATS subject."""
    if any(each in " \t*>" for each in text) or not all(text.split(".")):
        raise LinksError(f"{where}: {text[:80]!r} is not a name of a host")
    return text
