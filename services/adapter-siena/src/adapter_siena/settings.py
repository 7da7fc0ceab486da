"""Settings of a SIENA event service in `federation.yaml`."""

from typing import Annotated, Literal

import msgspec
from eventservices.errors import MalformedError
from eventservices.siena import check_name
from msgspec import Meta

Char = Annotated[str, Meta(min_length=1, max_length=1)]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the event service, or of one adapter.

    Attributes:
        index: Attribute by which the brokers preselect, the same for all native clients of the
            service; None for none. With `FES_Subject` a broker delivers only the subjects that are
            subscribed to.
        subject_attribute: Of native notifications without `FES_Subject`: the attribute whose text
            is their subject; "" sets such notifications aside.
        substitute: Replacements of characters that SIENA does not accept in a name, e.g. `{"-":
            "."}`; any other is written as its code point, e.g. `_.2D.`.
        semantics: What decides on delivery, the same for all native clients of the service:
            `subscription` alone, or `advertisement` too.
    """

    index: Annotated[str, Meta(min_length=1)] | None = None
    subject_attribute: str = ""
    substitute: dict[Char, Annotated[str, Meta(min_length=1, max_length=16)]] = {}
    semantics: Literal["subscription", "advertisement"] = "subscription"

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        for name in (self.index, self.subject_attribute):
            _check(name or "_", "name")
        for char, text in self.substitute.items():
            _check(f"_{text}", f"substitute of {char!r}")
            if char.isascii() and (char.isalnum() or char in "_/."):
                raise ValueError(f"substitute: {char!r} is legal in a name of SIENA")


def _check(name: str, what: str) -> None:
    try:
        check_name(name)
    except MalformedError as error:
        raise ValueError(f"{what}: {error}") from error
