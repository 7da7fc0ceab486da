"""A change of scopes while a federation runs, in the words of its file."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from fes.errors import ScopeError
from fes.federation.file.finding import Path
from fes.federation.names import Name
from fes.federation.scopes.build import Parts
from fes.federation.scopes.model import Member, ScopePart
from fes.scopes import Client, Graph

MAX_BYTES = 32 * 1024
"""Most bytes of one change."""

T = TypeVar("T")

_encoder = msgspec.json.Encoder()


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A scope or a membership that is declared, declared again, or ends.

    Attributes:
        number: Its place in the order of all changes, from 1; 0 where it has none yet.
        scope: The scope.
        member: Whose membership it is; empty where the scope itself is meant.
        part: The scope, without members; None where it ends.
        edge: The membership; None where it ends.
        at_us: When it was ordered, federation clock.
    """

    number: int
    scope: Name
    member: str = ""
    part: ScopePart | None = None
    edge: Member | None = None
    at_us: int = 0

    @property
    def what(self) -> str:
        """What changes, for people."""
        about = f"{self.member} in {self.scope}" if self.member else self.scope
        ends = self.edge is None if self.member else self.part is None
        return f"{about} ends" if ends else about


_decoder = msgspec.json.Decoder(Change)


def write_change(change: Change) -> bytes:
    """Return a change as the journal keeps it and the wire carries it.

    Raises:
        ScopeError: It is larger than a change may be.
    """
    text = _encoder.encode(change)
    if len(text) > MAX_BYTES:
        raise ScopeError(f"{change.what}: {len(text)} bytes are more than {MAX_BYTES}")
    return text


def read_change(text: bytes | msgspec.Raw) -> Change:
    """Return a change that was written.

    Raises:
        ScopeError: It is none.
    """
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ScopeError(f"not a change of scopes: {error}") from error


def patched(part: ScopePart, patch: Mapping[str, Any]) -> ScopePart:
    """Return a scope with some of its keys replaced; null is the default.

    Args:
        part: As it was declared last.
        patch: Keys of the federation file.

    Raises:
        ScopeError: A key or value is not valid; names it.

    Source:
        RFC 7396, for the first level of keys.
    """
    document = msgspec.to_builtins(part)
    for key, value in patch.items():
        if value is None:
            document.pop(key, None)
        else:
            document[key] = value
    return scope_part(document)


def scope_part(document: object) -> ScopePart:
    """Return the scope that a document declares.

    Raises:
        ScopeError: It is not valid, or names members.
    """
    part = _converted(document, ScopePart)
    if part.members:
        raise ScopeError("members: each is a change of its own")
    return part


def member_part(document: object) -> Member:
    """Return the membership that a document declares.

    Raises:
        ScopeError: It is not valid.
    """
    return _converted(document, Member)


def apply(graph: Graph, change: Change) -> None:
    """Change a graph.

    Raises:
        ScopeError: The graph refuses it, or a filter, mapping or name in it is not valid.
    """
    if change.member:
        if change.edge is None:
            graph.leave(change.member, change.scope)
        else:
            graph.join(_PARTS.edge(change.scope, change.member, change.edge))
    elif change.part is None:
        if isinstance(graph.nodes.get(change.scope), Client):
            raise ScopeError(f"{change.scope} is a simple component")
        graph.remove(change.scope)
    else:
        _check_choices(graph, change.scope, change.part)
        graph.add(_PARTS.scope(change.scope, change.part))


def _check_choices(graph: Graph, name: str, part: ScopePart) -> None:
    for chosen in part.publishing.choose:
        if chosen not in graph.supers(name):
            raise ScopeError(f"publishing.choose: {chosen} is not a direct superscope of {name}")


def _converted(document: object, kind: type[T]) -> T:
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise ScopeError(str(error)) from error


def _refuse(path: Path, message: str) -> None:
    """Raise an error that names the key below the scope."""
    raise ScopeError(f"{'.'.join(map(str, path[2:]))}: {message}" if path[2:] else message)


_PARTS = Parts(_refuse)
