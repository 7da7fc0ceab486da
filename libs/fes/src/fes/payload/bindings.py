"""CloudEvents in binary mode: where each protocol has context attributes beside the payload.

In the federation they are attributes `ce-id`, `ce-source` …, whatever the protocol calls them.

Source:
    CloudEvents 1.0.2: MQTT protocol binding, section 3.1.3 (user properties of the same name);
    Kafka protocol binding, section 3.2.3 (`ce_`); NATS protocol binding, draft after 1.0.2, section
    3.1.3 (`ce-`, percent-encoded as in HTTP).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from fes.errors import CodecError
from fes.model import Field, Type

PREFIX: Final = "ce-"
VERSION: Final = "1.0"
NEEDED: Final = ("specversion", "id", "source", "type")
DATA_TYPE: Final = f"{PREFIX}datacontenttype"

_NAME: Final = re.compile(r"[a-z0-9]+")
_ENCODED: Final = re.compile(r'[^!-~]|["%]')
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Binding:
    """How a protocol writes context attributes.

    Attributes:
        prefix: Of their names.
        percent: Whether their values are percent-encoded; else they are Unicode.
        data_type: Whether the type of the data is one of them, besides the content type.
    """

    prefix: str
    percent: bool = False
    data_type: bool = False

    def is_used(self, headers: Mapping[str, str]) -> bool:
        """Return whether headers are those of a CloudEvent in binary mode."""
        return f"{self.prefix}specversion" in headers

    def name_of(self, header: str) -> str | None:
        """Return the attribute of a header; None where it is none of the context."""
        name = header.removeprefix(self.prefix)
        if not header.startswith(self.prefix) or not _NAME.fullmatch(name):
            return None
        return f"{PREFIX}{name}"

    def write(self, fields: Iterable[Field]) -> dict[str, str]:
        """Return the headers of what a context has."""
        found: dict[str, str] = {}
        for field in fields:
            name = field.id.removeprefix(PREFIX)
            if field.id != DATA_TYPE or self.data_type:
                text = canonical(field.value)
                found[self.prefix + name] = encode(text) if self.percent else text
        return found

    def read(self, headers: Mapping[str, str], content_type: str) -> dict[str, str]:
        """Return the context that headers have, by attribute.

        Raises:
            CodecError: A needed attribute is missing, or a value is not percent-encoded UTF-8.
        """
        found: dict[str, str] = {}
        for header, text in headers.items():
            name = self.name_of(header)
            if name is not None:
                found[name] = decode(text) if self.percent else text
        check_needed({name.removeprefix(PREFIX): text for name, text in found.items()})
        if content_type:
            found.setdefault(DATA_TYPE, content_type)
        return found


NATS: Final = Binding("ce-", percent=True, data_type=True)
KAFKA: Final = Binding("ce_")
MQTT: Final = Binding("")


def check_needed(context: Mapping[str, object]) -> None:
    """Check that a CloudEvent has what each one needs.

    Raises:
        CodecError: An attribute is missing, no text or empty, or the version is not known.
    """
    for name in NEEDED:
        text = context.get(name)
        if not isinstance(text, str) or not text:
            raise CodecError(f"a CloudEvent needs the attribute {name!r}")
    version = context["specversion"]
    if version != VERSION:
        raise CodecError(f"CloudEvents {str(version)[:20]!r} are not known")


def is_context(field: Field) -> bool:
    """Return whether an attribute has a place in the context of a CloudEvent."""
    name = field.id.removeprefix(PREFIX)
    if name == field.id or not _NAME.fullmatch(name):
        return False
    if field.type is Type.STRING:
        return not _CONTROL.search(field.value)
    return field.type in (Type.LONG, Type.BOOLEAN)


def is_whole(fields: Iterable[Field]) -> bool:
    """Return whether attributes have all that a CloudEvent needs."""
    known = {field.id for field in fields if field.type is Type.STRING and field.value}
    return all(f"{PREFIX}{name}" in known for name in NEEDED)


def canonical(value: object) -> str:
    """Return the text of an attribute's value.

    Source:
        CloudEvents 1.0.2, section 2.2: type system.
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def encode(text: str) -> str:
    """Return a header's value: printable ASCII, the rest percent-encoded as UTF-8."""
    return _ENCODED.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), text)


def decode(text: str) -> str:
    """Return the text of a percent-encoded value.

    Raises:
        CodecError: Raised when it is not UTF-8.
    """
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise CodecError("a header's value is not UTF-8") from error
