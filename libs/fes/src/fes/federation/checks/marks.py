"""Checks that delivery records are kept for longer than an event may come again.

Source:
    Design, section 6, Delivery: delivery records outlive the retransmission horizon.
"""

from collections.abc import Iterator, Mapping

from fes.federation.capabilities import Capabilities
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report, child
from fes.federation.kinds import Kind, capabilities_of
from fes.federation.model import Federation

SLOWEST = 16
"""Most intervals `limits.retry_s` between two times that a gateway sends an event without an
answer."""


def check_marks(federation: Federation, report: Report) -> None:
    """Report limits with which gateways forget what other gateways may still send again.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    limits = federation.limits
    again_s = SLOWEST * limits.retry_s
    if limits.retransmission_s <= again_s:
        message = (
            f"a gateway sends an event without an answer again after up to {SLOWEST} times"
            f" limits.retry_s, {again_s:g} s, and what went is remembered for"
            f" {limits.retransmission_s:g} s only: it would be delivered twice"
        )
        report.error(_limit(report, "retransmission_s", "retry_s"), message)
    if limits.marks < limits.custody:
        message = (
            f"a gateway may answer for {limits.custody} events at a time (limits.custody), and"
            f" {limits.marks} that went are remembered: those sent again would be delivered twice"
        )
        report.error(_limit(report, "marks", "custody"), message)


def check_redelivery(federation: Federation, report: Report, kinds: Mapping[str, Kind]) -> None:
    """Report limits with which gateways forget what event services may deliver, or store, again.

    Args:
        federation: Valid in form.
        report: Collects the findings.
        kinds: The kinds that an adapter is installed for.
    """
    for name, can in persistent_services(federation, kinds):
        _check_redelivered(federation, report, name, can)
        _check_stored(federation, report, name, can)
        _check_suppressed(federation, report, name, can)


def persistent_services(
    federation: Federation, kinds: Mapping[str, Kind]
) -> Iterator[tuple[str, Capabilities]]:
    """Yield the event services that keep events for at least one gateway, and what they can do."""
    for name in federation.event_services:
        keeping = [can for can in capabilities_of(federation, kinds, name) if can.persistent]
        if keeping:
            yield name, keeping[0]


def _check_redelivered(
    federation: Federation, report: Report, name: str, can: Capabilities
) -> None:
    kept_s = federation.limits.retransmission_s
    if kept_s <= can.redelivers_s:
        message = (
            f"event service {name!r} delivers again what was not acknowledged, within"
            f" {can.redelivers_s:g} s, and what went is remembered for {kept_s:g} s only: it would"
            " be delivered twice"
        )
        report.error(_limit(report, "retransmission_s"), message)


def _check_stored(federation: Federation, report: Report, name: str, can: Capabilities) -> None:
    again_s = SLOWEST * federation.limits.retry_s
    if 0 < can.deduplicates_s <= again_s:
        message = (
            f"an event without an answer may be sent again after {again_s:g} s, and event service"
            f" {name!r} knows a repetition for {can.deduplicates_s:g} s: it may be stored twice"
        )
        report.warning(_limit(report, "retry_s"), message)


def _check_suppressed(federation: Federation, report: Report, name: str, can: Capabilities) -> None:
    limits = federation.limits
    if not can.suppresses and limits.retransmission_s < limits.horizon_s:
        message = (
            f"native clients of event service {name!r} do not suppress what they had: after a"
            f" separation of {limits.retransmission_s:g} s an event may be delivered twice, and"
            f" limits.horizon_s allows {limits.horizon_s:g} s"
        )
        report.warning(_limit(report, "retransmission_s", "horizon_s"), message)


def _limit(report: Report, *names: str) -> Path:
    """Return the path of the first of some limits that is in the file, or else of the first."""
    limits = child(report.tree, "limits")
    written = [name for name in names if limits is not None and child(limits, name) is not None]
    return "limits", (written or names)[0]
