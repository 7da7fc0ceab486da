"""Notifications: what is published and delivered."""

from collections.abc import Iterator, Mapping

from eventservices.errors import MalformedError
from eventservices.siena.values import Value, check_name, check_value

MAX_ATTRIBUTES = 1000


class Notification(Mapping[str, Value]):
    """A set of attributes, each with a name and a typed value; nothing else.

    Args:
        attributes: Values by name. An `int` is a 64-bit integer, a `float` a double.
        checked: Whether names and values are known to be valid; the mapping is then kept as it is.

    Raises:
        MalformedError: A name or value is not SIENA's; the message names it. Or there are too many.
    """

    __slots__ = ("_attributes",)

    def __init__(self, attributes: Mapping[str, Value], *, checked: bool = False) -> None:
        self._attributes = attributes if checked else _check(attributes)

    @property
    def attributes(self) -> Mapping[str, Value]:
        """The attributes as a plain mapping, for what is done often."""
        return self._attributes

    def __getitem__(self, name: str) -> Value:
        """Return the value of an attribute."""
        return self._attributes[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._attributes)

    def __len__(self) -> int:
        """Return the number of attributes."""
        return len(self._attributes)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same attributes, types included."""
        if not isinstance(other, Notification):
            return NotImplemented
        ours, theirs = self._attributes, other._attributes
        return ours == theirs and all(type(ours[name]) is type(theirs[name]) for name in ours)

    def __hash__(self) -> int:
        """Return a hash that equal notifications share."""
        return hash(frozenset(self._attributes.items()))

    def __repr__(self) -> str:
        """Return the notification for people."""
        return f"Notification({dict(self._attributes)!r})"


def _check(attributes: Mapping[str, Value]) -> dict[str, Value]:
    if len(attributes) > MAX_ATTRIBUTES:
        raise MalformedError(f"{len(attributes)} attributes, more than {MAX_ATTRIBUTES}")
    return {check_name(name): check_value(name, value) for name, value in attributes.items()}
