"""XML in the style of FIXML, and structured events: one element, its data in attributes.

`<Order Sym="SAP" Qty="100"/>` is the value of one parameter of an event; inside it is an event
`Order` with parameters.

Source:
    Fiege et al., section 3.4; OASIS, FIXML: data in attributes of an element for each message.
"""

from collections.abc import Mapping
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from fes.errors import ScopeError
from fes.model import Event, Field, Type
from fes.scopes.mappings.mapping import Step

MAX_BYTES: Final = 65_536
"""Longest document that is read."""


def from_xml(parameter: str, names: Mapping[str, tuple[str, str]], element: str) -> Step:
    """Return a step that makes a structured event of a document.

    Args:
        parameter: Which parameter has the document.
        names: By XML attribute: parameter and type, `string`, `long` or `double`.
        element: Element that the document must be; its name becomes the subject.
    """

    def step(event: Event) -> tuple[Event, ...]:
        text = event.parameter(parameter)
        tag, attributes = read(text if isinstance(text, str) else "")
        if tag != element:
            return ()
        fields = tuple(
            _field(name, kind, attributes[key])
            for key, (name, kind) in names.items()
            if key in attributes
        )
        return (Event(tag, fields, event.attributes),)

    return step


def to_xml(parameter: str, names: Mapping[str, tuple[str, str]], element: str) -> Step:
    """Return a step that makes a document of a structured event: the inverse of `from_xml`."""

    def step(event: Event) -> tuple[Event, ...]:
        if event.subject != element:
            return ()
        parts = [
            f" {key}={quoteattr(_text(value))}"
            for key, (name, _) in names.items()
            if (value := event.parameter(name)) is not None
        ]
        document = f"<{element}{''.join(parts)}/>"
        field = Field(parameter, Type.STRING, document)
        return (Event(event.subject, (field,), event.attributes),)

    return step


def read(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the attributes of a document's only element.

    Raises:
        ScopeError: It is not such a document, declares entities, or is too long.
    """
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise ScopeError(f"a document of more than {MAX_BYTES} bytes")
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, attributes: found.append((tag, attributes))
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ScopeError(f"not XML: {error}") from error
    if len(found) != 1:
        raise ScopeError(f"{len(found)} elements, not 1")
    return found[0]


def _refuse(*_: object) -> None:
    raise ScopeError("a document type is not allowed")


def _field(name: str, kind: str, text: str) -> Field:
    match kind:
        case "long":
            return Field(name, Type.LONG, int(text))
        case "double":
            return Field(name, Type.DOUBLE, float(text))
    return Field(name, Type.STRING, text)


def _text(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)
