"""`fes filter`: shows what a filter means, its native forms, and which events it accepts."""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from serving.text import bytes_of, open_text

from fes.adapter.native_form import NativeForm
from fes.adapter.registry import adapter_class, adapter_kinds
from fes.errors import FederationError, FesError
from fes.federation import Federation, load, settings_of
from fes.filter import Filter, covers, parse_selector
from fes.filter.language.outline import outline
from fes.filter.language.text import to_text
from fes.filter.why import why_unknown
from fes.mapping import Mapping as EventMapping
from fes.mapping import Rule, load_rules
from fes.mapping.inversion.subjects import wanted
from fes.mapping.topics.patterns import mqtt_topics, nats_subjects
from fes.model import Event
from fes.model.text import from_json

OK, NO = 0, 1

MAX_LINE_BYTES: Final = 1024 * 1024
"""Longest line of a file of events; a longer one is reported as not an event."""

_VALUES: Final = {True: "true", False: "false", None: "unknown"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a filter is to be applied."""

    name: str
    kind: str
    mapping: EventMapping
    settings: Mapping[str, Any]


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("filter", help="explain, test and compare filters")
    acts = parser.add_subparsers(dest="act", required=True)
    explain = acts.add_parser("explain", help="show a filter's tree, canonical and native forms")
    _add_filter(explain)
    explain.add_argument(
        "--federation", type=Path, metavar="FILE", help="use its event services and mappings"
    )
    test = acts.add_parser("test", help="test a filter on the events in a file, one a line")
    _add_filter(test)
    test.add_argument(
        "events", type=Path, metavar="EVENTS", help="file of events as JSON, one a line"
    )
    cover = acts.add_parser(
        "covers", help="report whether one filter accepts all that another does"
    )
    cover.add_argument("wider")
    cover.add_argument("narrower")


def run(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Run the command.

    Args:
        options: As `add_parser` has them.
        environment: For a federation file: values of `${NAME}` and of `FES__…` overrides.
        out: Receives the output.

    Returns:
        Exit status: 0; 1 where no event was accepted, or a filter does not cover the other.

    Raises:
        FilterError: A filter is not in the language.
        FederationError: A file cannot be read.
    """
    match options.act:
        case "explain":
            out.writelines(line + "\n" for line in _explained(options, environment))
            return OK
        case "test":
            return _test(_filter(options), options.events, out)
    return _compare(options.wider, options.narrower, out)


def _add_filter(parser: ArgumentParser) -> None:
    parser.add_argument("filter", help="in the filter language")
    parser.add_argument(
        "--selector", action="store_true", help="the filter is a JMS message selector"
    )


def _filter(options: Namespace) -> Filter:
    text = options.filter
    return Filter.of(to_text(parse_selector(text)) if options.selector else text)


def _explained(options: Namespace, environment: Mapping[str, str]) -> Iterator[str]:
    filter_ = _filter(options)
    places = list(_places(options.federation, environment))
    yield "tree"
    yield from _indented(outline(filter_.tree))
    yield "canonical form"
    yield f"  {filter_.canonical}"
    for place in places:
        yield from _at(place, filter_)
    yield from _at_brokers(filter_)


def _places(file: Path | None, environment: Mapping[str, str]) -> Iterator[_Place]:
    if file is None:
        for kind in adapter_kinds():
            if kind != "memory":
                yield _Place(kind, kind, _mapping(kind, ()), {})
        return
    federation = load(file, environment)
    for gateway, described in federation.gateways.items():
        for service in described.adapters:
            yield _attached(federation, gateway, service, file.parent)


def _attached(federation: Federation, gateway: str, service: str, base: Path) -> _Place:
    kind = federation.event_services[service].kind
    names = federation.gateways[gateway].adapters[service].mappings
    rules = load_rules([rule for name in names for rule in federation.mappings[name]], base)
    settings = settings_of(federation, gateway, service)
    return _Place(f"{service} ({kind}, by {gateway})", kind, _mapping(kind, rules), settings)


def _mapping(kind: str, rules: tuple[Rule, ...]) -> EventMapping:
    chosen = adapter_class(kind)
    return EventMapping(rules, chosen.name_rule, automatic=chosen.automatic)


def _at(place: _Place, filter_: Filter) -> Iterator[str]:
    yield f"at {place.name}"
    try:
        form = adapter_class(place.kind).explain(filter_, place.mapping, place.settings)
    except FesError as error:
        yield f"  refused: {error}"
        return
    if form is None:
        yield "  everything; the adapter applies the filter"
    else:
        yield from _shown(form)


def _at_brokers(filter_: Filter) -> Iterator[str]:
    found = wanted(filter_.tree, EventMapping(()))
    for name, topics in (
        ("NATS", nats_subjects(found.subjects)),
        ("MQTT", mqtt_topics(found.subjects)),
    ):
        yield f"at a broker of {name}, by its topics"
        yield from _shown(NativeForm(topics, found.widened))


def _shown(form: NativeForm) -> Iterator[str]:
    yield from _indented(form.lines or ("nothing",))
    yield from (f"  widened: {text}" for text in form.widened)


def _indented(lines: tuple[str, ...]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _test(filter_: Filter, path: Path, out: TextIO) -> int:
    accepted = 0
    for number, line in _lines(path):
        try:
            event = from_json(line)
        except FesError as error:
            out.write(f"{number}: not an event: {error}\n")
            continue
        accepted += filter_.matches(event)
        out.writelines(f"{number}: {told}\n" for told in _told(filter_, event))
    out.write(f"{accepted} accepted\n")
    return OK if accepted else NO


def _told(filter_: Filter, event: Event) -> Iterator[str]:
    yield f"{_VALUES[filter_.test(event)]} {event.subject}"
    yield from (f"  {reason}" for reason in why_unknown(filter_.tree, event))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are neither blank nor a comment, each with its number.

    A comment begins with `#`: what `fes listen` states beside the events.

    Raises:
        FederationError: The file cannot be read.
    """
    try:
        with open_text(path) as file:
            number, ended = 1, True
            while line := file.readline(MAX_LINE_BYTES):
                begins, ended = ended, line.endswith("\n")
                if begins and line.strip() and not line.startswith("#"):
                    yield number, bytes_of(line)
                number += ended
    except OSError as error:
        raise FederationError(f"cannot be read: {error.strerror}", str(path)) from error


def _compare(wider: str, narrower: str, out: TextIO) -> int:
    one, other = Filter.of(wider), Filter.of(narrower)
    covered, covering = covers(one.tree, other.tree), covers(other.tree, one.tree)
    out.write("covers\n" if covered else "does not cover, as far as can be seen\n")
    if covering:
        out.write("both accept the same events\n" if covered else "the second covers the first\n")
    return OK if covered else NO
