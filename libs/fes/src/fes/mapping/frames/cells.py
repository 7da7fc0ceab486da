"""Compiles the cells of a rule: its fields that are laid out in octets."""

from typing import Any

from msgspec import UNSET

from fes.errors import MappingError
from fes.mapping.fields.convert import plain_value
from fes.mapping.fields.quantity import Scaling, Whole
from fes.mapping.frames.choice import Choice
from fes.mapping.frames.dbc import Condition, Message, Signal, read_message
from fes.mapping.frames.frame import Cell, Frame
from fes.mapping.frames.layout import Number, Real
from fes.mapping.frames.overlap import overlap
from fes.mapping.frames.place import TYPES, Placed, check_range, kind_of, place_of
from fes.mapping.rules.model import DbcMessage, FieldRule, Rule
from fes.model import Type


def frame_of(rule: Rule, where: str) -> tuple[Frame | None, Message | None]:
    """Return the payload layout of a rule and its DBC message; None for what it lacks.

    Raises:
        MappingError: The place of a field is not valid; the message names it.
    """
    if not rule.has_layout:
        return None, None
    message = _message(rule.dbc, where) if rule.dbc else None
    parameters = _cells(rule.parameters, "parameter", message, where)
    attributes = _cells(rule.attributes, "attribute", message, where)
    if message and not any(field.signal for field in rule.fields()):
        parameters += _all_signals(message)
    cells = (*parameters, *attributes)
    if rule.direction != "in":
        _check_out(cells, message, where)
    writes = sorted(
        ((cell, at < len(parameters)) for at, cell in enumerate(cells)),
        key=lambda write: len(write[0].when),
    )
    needed = {bits for cell in cells for bits, _ in cell.when}
    selectors = message.selectors if message else ()
    selectors = tuple(selector for selector in selectors if selector.bits in needed)
    length = _length(cells, rule, message)
    return Frame(parameters, attributes, tuple(writes), length, selectors, where), message


def _message(wanted: DbcMessage, where: str) -> Message:
    try:
        return read_message(wanted)
    except MappingError as error:
        raise MappingError(f"{where}: dbc: {error}") from error


def _check_out(cells: tuple[Cell, ...], message: Message | None, where: str) -> None:
    shared = overlap(cells)
    if shared is not None:
        one, other = shared
        raise MappingError(f"{where}: {one.place} and {other.place} overlap; use direction: in")
    written = {getattr(cell.layout, "bits", None) for cell in cells}
    for selector in message.selectors if message else ():
        needed = any(selector.bits == bits for cell in cells for bits, _ in cell.when)
        if needed and selector.bits not in written:
            raise MappingError(f"{where}: signal {selector.id!r} selects others; map it too")


def _cells(
    rules: dict[str, FieldRule], what: str, message: Message | None, where: str
) -> tuple[Cell, ...]:
    cells = []
    for name, rule in rules.items():
        if rule.is_laid_out:
            place = f"{what} {name!r}"
            try:
                cells.append(_cell(name, rule, place, message))
            except MappingError as error:
                raise MappingError(f"{where}: {place}: {error}") from error
    return tuple(cells)


def _cell(name: str, rule: FieldRule, place: str, message: Message | None) -> Cell:
    when: Condition = ()
    top = None
    if rule.signal is None or message is None:
        placed = place_of(rule)
    elif rule.signal in message.signals:
        placed = _signal_place(message.signals[rule.signal], rule)
        when, top = message.signals[rule.signal].when, message.signals[rule.signal].top
    else:
        raise MappingError(f"the DBC message has no signal {rule.signal!r}")
    kind, layout = placed.kind, placed.layout
    default: Any = UNSET if rule.default is UNSET else plain_value(rule.default, kind)[1]
    return Cell(name, kind, layout, layout.size, place, default, when, top)


def _all_signals(message: Message) -> tuple[Cell, ...]:
    return tuple(
        _cell(name, FieldRule(signal=name), f"parameter {name!r}", message)
        for name in message.signals
    )


def _signal_place(signal: Signal, rule: FieldRule) -> Placed:
    if rule.kind == "string":
        numbers = {text: number for number, text in signal.texts.items()}
        return Placed(Type.STRING, Choice(signal.bits, signal.texts, numbers))
    scaling = signal.scaling.then(Scaling(rule.scale, rule.offset))
    if signal.is_real:
        return Placed(Type.DOUBLE, Real(signal.bits, scaling))
    kind = TYPES[rule.kind] if rule.kind else kind_of(signal.bits, scaling)
    bits = signal.bits
    whole = Whole(bits.low, bits.high, rule.rounding, rule.overflow)
    if kind is Type.DOUBLE:
        return Placed(kind, Number(bits, scaling, whole, float, bits.size))
    if kind not in (Type.LONG, Type.LONGLONG):
        raise MappingError(f"a signal cannot be a {kind.name.lower()}")
    if rule.kind:
        check_range(bits, scaling, kind)
    return Placed(kind, Number(bits, scaling, whole, int, bits.size))


def _length(cells: tuple[Cell, ...], rule: Rule, message: Message | None) -> int:
    covered = max((cell.size for cell in cells), default=0)
    wanted = rule.length if rule.length is not None else message.size if message else covered
    return max(wanted, covered)
