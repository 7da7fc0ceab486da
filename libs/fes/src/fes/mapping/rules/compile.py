"""Compiles rules."""

from fes.mapping.fields.carry import Carry, Section
from fes.mapping.fields.names import Names
from fes.mapping.fields.paths import Rename, carry_of, legs_in, legs_out
from fes.mapping.frames.cells import frame_of
from fes.mapping.frames.frame import Frame
from fes.mapping.rules.compiled import Compiled, Ways
from fes.mapping.rules.model import Rule
from fes.mapping.rules.parts import tag_of
from fes.mapping.rules.plausible import plausible_of
from fes.mapping.rules.plugin import load_plugin


def compile_rule(rule: Rule, at: int, names: Names | None) -> Compiled:
    """Return a compiled rule.

    Args:
        rule: Its DBC file, if any, as a path that can be opened.
        at: Its index in the list, from 0.
        names: The service's name rule; None where every name passes unchanged.

    Raises:
        MappingError: The rule cannot work; the message names rule and field.
    """
    where = f"rule {at} ({rule.name or rule.subject})"
    frame, message = frame_of(rule, where)
    plugin = load_plugin(rule.plugin, where) if rule.plugin else None
    subject, can_id, extended, group = None, None, False, False
    if rule.native is not None:
        subject, can_id, extended = rule.native.subject, rule.native.can_id, rule.native.extended
    elif message is not None:
        can_id, extended, group = message.can_id, message.extended, message.group
    else:
        subject = names.subject_out(rule.subject) if names else rule.subject
    inward = _ways_in(rule, frame, names, where)
    outward = _ways_out(rule, frame, names, where)
    tag = tag_of(rule, (subject, can_id, extended), group=group)
    return Compiled(
        rule,
        where,
        subject,
        can_id,
        extended,
        frame,
        inward,
        outward,
        plugin,
        tag,
        plausible_of(rule),
        group,
    )


def _ways_in(rule: Rule, frame: Frame | None, names: Names | None, where: str) -> Ways | None:
    if rule.direction == "out":
        return None
    legs = legs_in(rule, _outward(names), where)
    taken = _cell_ids(frame)
    rename = names.inward if names else None
    ways = [
        carry_of(legs, section, _base(rule, taken[section], frozenset(), rename, where))
        for section in _SECTIONS
    ]
    return None if all(way.is_idle for way in ways) else Ways(*ways)


def _ways_out(rule: Rule, frame: Frame | None, names: Names | None, where: str) -> Ways | None:
    if rule.direction == "in":
        return None
    legs = legs_out(rule, _outward(names), where)
    consumed = _cell_ids(frame)
    if frame is not None:
        # A payload does not contain constants; the inbound direction sets them again.
        for leg in legs:
            if leg.constant is not None:
                consumed[leg.from_section] |= {leg.from_id}
        legs = tuple(leg for leg in legs if leg.constant is None)
    rename = names.outward if names else None
    ways = [
        carry_of(legs, section, _base(rule, frozenset(), consumed[section], rename, where))
        for section in _SECTIONS
    ]
    return Ways(*ways)


_SECTIONS: tuple[Section, Section] = ("parameter", "attribute")


def _cell_ids(frame: Frame | None) -> dict[Section, frozenset[str]]:
    if frame is None:
        return {"parameter": frozenset(), "attribute": frozenset()}
    return {section: frame.cell_ids(section) for section in _SECTIONS}


def _base(
    rule: Rule, taken: frozenset[str], consumed: frozenset[str], rename: Rename | None, where: str
) -> Carry:
    return Carry({}, {}, (), (), taken, consumed, rule.passes_rest, rename, where)


def _outward(names: Names | None) -> Rename:
    return names.outward if names else str
