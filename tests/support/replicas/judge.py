"""What a town had to keep: every broken promise, in words."""

from collections import defaultdict

import msgspec
from fes.control import RequestType
from fes.filter import Filter
from fes.gateway.replication import is_request
from fes.gateway.requests.row import Row
from fes.model import Identity, attributes
from support.replicas.calm import is_calm
from support.replicas.play import Play, reading
from support.replicas.story import Asked, Emitted, Story
from support.replicas.town import Town
from support.simulation.timeline import SECOND

ON_ITS_WAY_US = SECOND
"""Longer than an event takes while nothing is wrong."""

_rows = msgspec.msgpack.Decoder(Row)


def violations(play: Play) -> list[str]:
    """Return every broken promise of a town that was played."""
    town, story = play.town, play.story
    found = [*town.broken, *town.shared.broken]
    found += _lost(town, story)
    found += _unasked(town, story)
    found += _doubled(town, story)
    found += _disordered(town, story)
    return [*found, *_left(play)]


def _lost(town: Town, story: Story) -> list[str]:
    arrived = _arrived(town)
    found = []
    for event in story.emitted:
        for service in town.services:
            if event.identity in arrived[service] or not _must(town, story, event, service):
                continue
            told = town.log.told.get(str(event.identity), [])
            found.append(f"lost: {event.identity} of {event.service} at {service}: {told}")
    return found


def _arrived(town: Town) -> dict[str, set[Identity]]:
    return {
        name: {delivery.item.identity for delivery in service.deliveries}
        for name, service in town.services.items()
    }


def _must(town: Town, story: Story, event: Emitted, service: str) -> bool:
    """Tell whether an event must have arrived at an event service."""
    if service == event.service or (event.to and event.to != service):
        return False
    strong = event.persistent and event.kept and town.services[service].keeps
    if not strong and not _was_calm(town, story, event, service):
        return False
    if event.to:
        return strong or event.calm
    return any(_is_meant(town, story, event, asked, service) for asked in story.asked)


def _was_calm(town: Town, story: Story, event: Emitted, service: str) -> bool:
    """Tell whether nothing was wrong while an event was on its way, so that it must arrive."""
    until_us = event.at_us + ON_ITS_WAY_US
    if not event.calm or any(event.at_us <= at_us <= until_us for at_us in town.disturbed):
        return False
    if town.services[service].suppresses or not town.disturbed:
        return True
    # Where nothing is suppressed, a takeover costs what was reserved ahead; it is told.
    told = town.log.told.get(str(event.identity), [])
    return min(town.disturbed) > event.at_us or not any("repeated" in each for each in told)


def _is_meant(town: Town, story: Story, event: Emitted, asked: Asked, service: str) -> bool:
    return (
        asked.kind is RequestType.SUBSCRIPTION
        and asked.source == service
        and asked.holds_at(event.service)
        and event.number >= asked.least
        and not asked.expires_us
        and asked.at_us + SECOND < event.at_us
        and (story.is_sure(asked, town.disturbed) or asked.standing in event.stood)
        and event.held
        and not any(
            each.key[:3] == asked.key[:3] and each.at_us > asked.at_us
            for each in story.asked
            if each.kind is RequestType.UNSUBSCRIPTION or each.expires_us
        )
    )


def _unasked(town: Town, story: Story) -> list[str]:
    events = {event.identity: event for event in story.emitted}
    found = []
    for service, at in town.services.items():
        for delivery in at.deliveries:
            event = events[delivery.item.identity]
            if event.to:
                wanted = event.to == service
            else:
                wanted = any(
                    _covers(town, story, asked, event, service, delivery.at_us)
                    for asked in story.asked
                )
            if not wanted:
                found.append(f"unasked: {event.identity} of {event.service} at {service}")
    return found


def _covers(
    town: Town, story: Story, asked: Asked, event: Emitted, service: str, arrived_us: int
) -> bool:
    """Tell whether a subscription may have held while an event was on its way."""
    if asked.kind is not RequestType.SUBSCRIPTION or asked.source != service:
        return False
    if not asked.holds_at(event.service) or event.number < asked.least:
        return False
    ends = [
        each.at_us
        for each in story.asked
        if each.key == asked.key
        and each.kind is RequestType.UNSUBSCRIPTION
        and each.at_us >= asked.at_us
        and story.is_sure(each, town.disturbed)
    ]
    if asked.expires_us:  # it lasts from when it is accepted: who stood still accepts it later
        accepted_us = story.settled_us(asked.at_us)
        ends.append(max(0, accepted_us - asked.at_us) + asked.expires_us + 4 * SECOND)
    end_us = story.settled_us(min(ends)) if ends else 1 << 62
    return asked.at_us <= arrived_us and event.at_us <= end_us


def _doubled(town: Town, story: Story) -> list[str]:
    """Return what was published twice in one life of an adapter.

    What its source keeps, and the destination does not, is published before anything is committed:
    where the answer is lost it comes again, and native clients suppress it.
    """
    persistent = {event.identity: event.persistent for event in story.emitted}
    kept = {event.identity for event in story.emitted if event.kept}
    found = []
    for name, service in town.services.items():
        lives: dict[Identity, int] = defaultdict(int)
        for (identity, _), count in service.published.items():
            if identity in kept and service.suppresses and not service.keeps:
                continue
            lives[identity] += 1
            often = count if persistent[identity] else count + lives[identity] - 1
            if often > 1:
                found.append(f"doubled: {identity} was published {often} times at {name}")
    return found


def _disordered(town: Town, story: Story) -> list[str]:
    """Return what came out of order.

    A persistent event that a client says in a control event may come late, forwarded by one who
    stood still: nobody gives it again, and nobody keeps it in its place. Nor does a best-effort one
    keep it that was published while its adapter stood still: members may have changed by then.
    """
    said = {each.identity for each in story.emitted if each.to and not each.kept}
    late = {
        each.identity
        for each in story.emitted
        if any(
            name == each.service and since_us <= each.at_us <= until_us
            for name, since_us, until_us in town.stood_still
        )
    }
    found = []
    for name, service in town.services.items():
        last: dict[tuple[str, int, bool], int] = {}
        had: set[Identity] = set()
        for delivery in service.deliveries:
            item = delivery.item
            if item.identity in had:
                continue
            had.add(item.identity)
            persistent = attributes.is_persistent(item.event)
            if item.identity in (said if persistent else late):
                continue
            way = item.stamp.origin, attributes.priority(item.event), persistent
            if item.stamp.sequence < last.get(way, 0):
                found.append(f"disordered: {item.identity} at {name} after {last[way]}")
            last[way] = max(last.get(way, 0), item.stamp.sequence)
    return found


def _left(play: Play) -> list[str]:
    """Return what is not as it should be once all is quiet."""
    town = play.town
    state = {key: value for key, value in town.table().items() if is_request(key)}
    rows = {key: _rows.decode(value) for key, value in state.items()}
    found = []
    for name, member in town.members.items():
        known = {row.name: row for row in member.host.core.table.rows()}
        if known != rows:
            found.append(f"tables differ: {name} has {known}, the journal {rows}")
    if not is_calm(town):
        found.append(f"not calm at the end: leader {town.leader!r}, view {town.shared.view}")
    found += _natives(town, rows)
    return [*found, *_requests(play, rows), *_wishes(town)]


def _natives(town: Town, rows: dict[str, Row]) -> list[str]:
    if not town.members:
        return []
    table = next(iter(town.members.values())).host.core.table
    found = []
    for name, service in town.services.items():
        wanted = {row.what for row in table.wanted(name)}
        known = town.adapters[name].runtime.outbound.subscriptions.values()
        held = {each.filter.canonical for each in known}
        if wanted != held:
            found.append(f"subscriptions at {name} are {held}, wanted {wanted}")
        native = {n for n in range(10) if service.wants(reading(n))}
        if native != {n for n in range(10) if any(_accepts(text, n) for text in wanted)}:
            found.append(f"heard at {name} are {native}, wanted {wanted}")
    return found


def _accepts(text: str, number: int) -> bool:
    return Filter.of(text).matches(reading(number))


def _requests(play: Play, rows: dict[str, Row]) -> list[str]:
    """Return which requests did not come through though nothing was wrong."""
    town, story = play.town, play.story
    now_us = town.now_us
    found = []
    for key, asked in story.last_of().items():
        is_ending = asked.expires_us and abs(asked.expires_us - now_us) < 3 * SECOND
        if is_ending or not story.is_sure(asked, town.disturbed):
            continue
        source, requester, _, at = key
        row = next(
            (
                each
                for each in rows.values()
                if (each.source, each.requester, each.what, each.pattern)
                == (source, requester, asked.text, at)
            ),
            None,
        )
        stands = row is not None and not row.withdrawn
        ended = asked.expires_us and asked.expires_us < now_us
        should = asked.kind is RequestType.SUBSCRIPTION and not ended
        covered = any(
            other.at_us > asked.at_us and other.key[:3] == asked.key[:3] and other.at != at
            for other in story.asked
        )
        if stands != should and not covered:
            found.append(f"request {asked} did not come through: {row}")
    return found


def _wishes(town: Town) -> list[str]:
    found = []
    for name in town.adapters:
        board = town.adapters[name].runtime.multiplexer
        wishes = set(board._wants._sides) - set(town.members)
        if wishes:
            found.append(f"adapter of {name} still counts wishes of {wishes}")
    return found
