"""User-defined mapping rules, as in a federation file."""

import math
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from fes.model.event import is_reserved

Direction = Literal["in", "out", "both"]
Kind = Literal["string", "long", "double", "longlong", "boolean", "octets"]
Endian = Literal["little", "big"]
Rounding = Literal["half_up", "down", "exact"]
Overflow = Literal["saturate", "refuse"]
Encoding = Literal["latin-1", "ascii", "utf-8"]
Plain = str | int | float | bool

Name = Annotated[str, Meta(min_length=1)]
Position = Annotated[int, Meta(ge=0, le=65535)]

NUMBERS = ("long", "longlong", "double")


class NativeMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which native events a rule matches: those of a CAN identifier, or of a native subject.

    Attributes:
        can_id: CAN identifier; above 0x7FF only with `extended`.
        extended: Whether it is a 29-bit identifier.
        subject: Native subject.
    """

    can_id: Annotated[int, Meta(ge=0, le=0x1FFFFFFF)] | None = None
    extended: bool = False
    subject: Name | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if (self.can_id is None) == (self.subject is None):
            raise ValueError("expected either can_id or subject")
        if self.can_id is None and self.extended:
            raise ValueError("extended belongs to can_id")
        if self.can_id is not None and self.can_id > 0x7FF and not self.extended:
            raise ValueError(f"can_id {self.can_id} is above 2047 and needs extended: true")


class DbcMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A message of a CAN database.

    Attributes:
        file: DBC file, relative to the federation file.
        message: Name of the message.
    """

    file: Name
    message: Name


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which numbers are plausible, both ends included.

    Attributes:
        min: Smallest, in the units of the FES value; None for no such end.
        max: Largest.
    """

    min: int | float | None = None
    max: int | float | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        ends = [end for end in (self.min, self.max) if end is not None]
        if not ends:
            raise ValueError("a range needs min, max or both")
        if not all(map(math.isfinite, ends)):
            raise ValueError("the ends of a range are finite; leave out an end that is open")
        if len(ends) == 2 and ends[0] > ends[1]:
            raise ValueError(f"min {self.min} is above max {self.max}")

    def __str__(self) -> str:
        """Return the text of reports, such as `0..250`."""
        low, high = ("" if end is None else str(end) for end in (self.min, self.max))
        return f"{low}..{high}"

    def has(self, value: object) -> bool:
        """Return whether a value is a number within the range; NaN is not."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if isinstance(value, float) and math.isnan(value):
            return False
        above = self.min is None or value >= self.min
        return above and (self.max is None or value <= self.max)


class FieldRule(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """The native source and destination of one FES parameter or attribute.

    At most one of `from`, `from_attribute`, `bytes`, `bits`, `signal` and `constant` is set; with
    none, the field comes from the native field of its own name.

    Attributes:
        source: Native parameter (`from` in the file).
        source_attribute: Native attribute (`from_attribute`).
        byte_range: First and last octet, counted from 0, both included (`bytes`); a last of null
            means the rest of the payload.
        bit_range: Start and length in bits (`bits`), numbered as in DBC files: little endian
            starts at the least significant bit, big endian at the most significant one.
        signal: Signal of the rule's DBC message.
        constant: Value that is set inbound, and outbound in structured native events.
        kind: FES type (`type`).
        native_kind: Type on the native side (`native_type`); without it, the value's own.
        default: Used where the value is absent.
        endian: Order of octets of numbers.
        signed: Whether an integer in octets is in two's complement.
        real: Whether 4 or 8 octets contain an IEEE 754 number (`float`).
        scale, offset: FES value = native value * scale + offset.
        rounding: How a value becomes an integer (`round`); half_up is floor(x + 0.5).
        overflow: Whether a number beyond its range is saturated and counted, or refused.
        encoding: Of text in octets.
        pad: Fills text in octets outbound.
        plausible: Which FES values are plausible (`range`); an event with another value is left
            out, in either direction, and counted.
    """

    source: Name | None = field(default=None, name="from")
    source_attribute: Name | None = field(default=None, name="from_attribute")
    byte_range: tuple[Position, Position | None] | None = field(default=None, name="bytes")
    bit_range: tuple[Position, Annotated[int, Meta(ge=1, le=64)]] | None = field(
        default=None, name="bits"
    )
    signal: Name | None = None
    constant: Plain | UnsetType = UNSET
    kind: Kind | None = field(default=None, name="type")
    native_kind: Kind | None = field(default=None, name="native_type")
    default: Plain | UnsetType = UNSET
    endian: Endian = "little"
    signed: bool = False
    real: bool = field(default=False, name="float")
    scale: int | float = 1
    offset: int | float = 0
    rounding: Rounding = field(default="half_up", name="round")
    overflow: Overflow = "saturate"
    encoding: Encoding = "latin-1"
    pad: Literal["nul", "space"] = "nul"
    plausible: Range | None = field(default=None, name="range")

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        self._check_sources()
        self._check_scale()
        if self.byte_range is not None:
            self._check_bytes(*self.byte_range)
        if self.real and self.byte_range is None:
            raise ValueError("float belongs to bytes")
        self._check_range()

    @property
    def is_laid_out(self) -> bool:
        """Whether the field has a place in octets."""
        return bool(self.byte_range or self.bit_range or self.signal)

    def _check_sources(self) -> None:
        sources = {
            "from": self.source,
            "from_attribute": self.source_attribute,
            "bytes": self.byte_range,
            "bits": self.bit_range,
            "signal": self.signal,
            "constant": None if self.constant is UNSET else True,
        }
        given = [name for name, value in sources.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"expected one source, found {' and '.join(given)}")
        if self.constant is not UNSET and self.default is not UNSET:
            raise ValueError("a constant needs no default")

    def _check_scale(self) -> None:
        finite = math.isfinite(self.scale) and math.isfinite(self.offset)
        if not finite or not 1e-100 <= abs(self.scale) <= 1e100 or abs(self.offset) > 1e100:
            raise ValueError("scale must be between 1e-100 and 1e100 (or negative), offset finite")
        if self.is_scaled and self.kind not in (None, *NUMBERS):
            raise ValueError(f"scale and offset do not apply to type {self.kind}")
        if self.is_scaled and self.native_kind not in (None, *NUMBERS):
            raise ValueError(f"scale and offset do not apply to native_type {self.native_kind}")

    def _check_range(self) -> None:
        if self.plausible is None:
            return
        if self.kind not in (None, *NUMBERS):
            raise ValueError(f"range does not apply to type {self.kind}")
        for what, value in (("constant", self.constant), ("default", self.default)):
            if value is not UNSET and not self.plausible.has(value):
                raise ValueError(f"{what} {value!r} is outside range {self.plausible}")

    def _check_bytes(self, first: int, last: int | None) -> None:
        if self.kind is None:
            raise ValueError("bytes needs a type")
        if last is None and self.kind not in ("string", "octets"):
            raise ValueError(f"type {self.kind} needs a last byte")
        if last is not None and last < first:
            raise ValueError(f"last byte {last} comes before first byte {first}")
        size = 1 if last is None else last - first + 1
        if self.kind in (*NUMBERS, "boolean") and size > 8:
            raise ValueError(f"a number of {size} bytes exceeds 8")
        if self.real and (self.kind != "double" or size not in (4, 8)):
            raise ValueError("float needs type double and 4 or 8 bytes")

    @property
    def is_scaled(self) -> bool:
        """Whether scale or offset change the value."""
        return self.scale != 1 or self.offset != 0


class Rule(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """The mapping between one kind of native event and one FES subject.

    Attributes:
        subject: FES subject.
        name: Name in errors; the subject where empty. Part of the identities of the events that it
            makes.
        native: Which native events it matches; None means those of the DBC message's identifier, or
            of the same subject.
        direction: `in` is native to FES.
        parameters: FES parameters.
        attributes: FES attributes.
        dbc: Message that `signal` fields belong to; without any such field, every signal becomes
            a parameter of its own name.
        plugin: Function of entry point group `fes.mappings` that does the mapping.
        time: Where the event's time comes from: its stamp, or the native event (`frame`).
        rest: What happens to fields that the rule does not name; by default they pass, except
            where the rule has a layout in octets.
        length: Size of the native payload in octets; by default what the layout covers.
        identity: Whether its events have identities of their own, derived from the rule (`own`), or
            are the native events under another name (`native`), which one rule for each may
            specify. A rule that renames nothing keeps identities in any case.

    Source:
        FES thesis, section 5.4.1 (user-defined and combined mapping).
    """

    subject: Name
    name: str = ""
    native: NativeMatch | None = None
    direction: Direction = "both"
    parameters: dict[Name, FieldRule] = {}
    attributes: dict[Name, FieldRule] = {}
    dbc: DbcMessage | None = None
    plugin: Name | None = None
    time: Literal["stamp", "frame"] = "stamp"
    rest: Literal["pass", "drop"] | None = None
    length: Annotated[int, Meta(ge=0, le=65536)] | None = None
    identity: Literal["own", "native"] = "own"

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        native_subject = self.native.subject if self.native else None
        if is_reserved(self.subject) or is_reserved(native_subject or ""):
            raise ValueError("subjects that begin with FES_ are reserved")
        if self.plugin and (self.parameters or self.attributes or self.dbc):
            raise ValueError("a plugin maps the whole event; remove the fields")
        if self.dbc is None and any(rule.signal for rule in self.fields()):
            raise ValueError("signal needs dbc")

    def fields(self) -> tuple[FieldRule, ...]:
        """Return the rules of all fields, parameters first."""
        return (*self.parameters.values(), *self.attributes.values())

    @property
    def has_layout(self) -> bool:
        """Whether the native event is octets."""
        return self.dbc is not None or any(rule.is_laid_out for rule in self.fields())

    @property
    def passes_rest(self) -> bool:
        """Whether fields that the rule does not name pass."""
        return not self.has_layout if self.rest is None else self.rest == "pass"


def to_plain(rules: tuple[Rule, ...]) -> list[dict[str, Any]]:
    """Return rules as plain values, as in a file."""
    plain: list[dict[str, Any]] = msgspec.to_builtins(rules)
    return plain
