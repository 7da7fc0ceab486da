"""HTTP requests as CloudEvents, and back: structured, binary and batch mode.

Source:
    CloudEvents 1.0.2, HTTP protocol binding, section 3; JSON event format, sections 3 and 4.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from fes.errors import CodecError
from fes.payload import bindings, cloudevents
from fes.payload.bindings import PREFIX, canonical, encode
from fes.payload.bodies import dump_json, load_json

BATCH: Final = "application/cloudevents-batch+json"
JSON: Final = "application/json"
ENCODINGS: Final = ("", "utf-8", "utf8", "us-ascii")

_NAME: Final = re.compile("[a-z0-9]+")
_CHARSET: Final = re.compile(r';\s*charset\s*=\s*"?([^";\s]*)', re.IGNORECASE)
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PAIR: Final = re.compile(r"\\(.)")

Headers = Sequence[tuple[bytes, bytes]]


class RequestError(CodecError):
    """Raised when a request is refused as a whole.

    Args:
        reason: What is wrong with it.
        status: Of the answer.
    """

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status


class Item(NamedTuple):
    """One CloudEvent of a request.

    Attributes:
        whole: The JSON object of structured mode; of another type where it is none.
        raw: Its bytes, as JSON.
    """

    whole: Any
    raw: bytes


def read_request(headers: Headers, body: bytes, most: int) -> list[Item]:
    """Return the CloudEvents of a request.

    Args:
        headers: Names in lower case.
        body: Whole.
        most: Most events of a batch.

    Raises:
        CodecError: Raised when it is not well formed; a `RequestError` has the status.
    """
    content_type = _one(headers, b"content-type")
    kind = content_type.partition(";")[0].strip().lower()
    if not kind.startswith("application/cloudevents"):
        whole = _binary(headers, content_type, body)
        return [Item(whole, dump_json(whole))]
    if kind not in (cloudevents.CONTENT_TYPE, BATCH):
        raise RequestError(f"event format {kind[:80]!r} is not known", 415)
    charset = _CHARSET.search(content_type)
    if charset is not None and charset[1].lower() not in ENCODINGS:
        raise RequestError(f"charset {charset[1][:40]!r} is not known", 415)
    found = load_json(body)
    if kind == cloudevents.CONTENT_TYPE:
        return [Item(found, body)]
    if not isinstance(found, list):
        raise RequestError("a batch is an array")
    if len(found) > most:
        raise RequestError(f"batch of {len(found)} events exceeds the limit of {most}", 413)
    return [Item(each, dump_json(each)) for each in found]


def write_request(structured: bytes, mode: str) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a CloudEvent.

    Args:
        structured: Its JSON object.
        mode: `structured` or `binary`.
    """
    if mode == "structured":
        return {"Content-Type": f"{cloudevents.CONTENT_TYPE}; charset=utf-8"}, structured
    context, data = cloudevents.from_structured(load_json(structured))
    octets = isinstance(data, bytes)
    body = data if octets else b"" if data is None else dump_json(data)
    kind = context.pop("datacontenttype", "application/octet-stream" if octets else JSON)
    headers = {f"{PREFIX}{name}": encode(canonical(v)) for name, v in context.items()}
    return {"Content-Type": str(kind), **headers}, body


def decode(value: bytes) -> str:
    """Return the text of a header's value, which may be a quoted string.

    Raises:
        CodecError: Raised when it is not UTF-8.
    """
    try:
        text = value.decode().strip()
        quoted = _QUOTED.fullmatch(text)
    except UnicodeDecodeError as error:
        raise CodecError("a header's value is not UTF-8") from error
    return bindings.decode(_PAIR.sub(r"\1", quoted[1]) if quoted else text)


def _binary(headers: Headers, content_type: str, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a CloudEvent in binary mode."""
    context: dict[str, Any] = {}
    for name, value in _context(headers):
        if not _NAME.fullmatch(name) or name == "datacontenttype":
            raise CodecError(f"ce-{name[:80]}: is not the header of an attribute")
        if name in context:
            raise CodecError(f"ce-{name[:80]}: occurs twice")
        context[name] = decode(value)
    if not context:
        raise RequestError("neither in binary mode (ce- headers) nor of a CloudEvents type", 415)
    if content_type:
        context["datacontenttype"] = content_type
    if body:
        context.setdefault("datacontenttype", JSON)
        context["data_base64"] = base64.b64encode(body).decode()
    return context


def _context(headers: Headers) -> Iterable[tuple[str, bytes]]:
    prefix = PREFIX.encode()
    for name, value in headers:
        if name.lower().startswith(prefix):
            yield name.lower().removeprefix(prefix).decode("latin-1"), value


def _one(headers: Headers, name: bytes) -> str:
    found = [value.decode("latin-1") for key, value in headers if key.lower() == name]
    if len(found) > 1:
        raise RequestError(f"{name.decode()}: occurs twice")
    return found[0] if found else ""
