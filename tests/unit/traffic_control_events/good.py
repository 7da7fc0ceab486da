"""A run as a federation that keeps its promises would leave it, made not by the judge's means.

Places are metres along the street here, so that nothing of the judge's geometry is used.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traffic_control_events.plan import Wanted, plan
from traffic_control_events.road import Moment, drive
from traffic_control_events.story import (
    GATEWAYS,
    HEARD,
    MONITORS,
    SAID,
    SEEN_AIR,
    SEEN_BUS,
    SEEN_CITY,
)

Line = dict[str, Any]

SECONDS, SPEEDUP = 40, 4.0
LATE_US = 15_000
"""How long after its publisher an event is on the air."""


@dataclass(frozen=True)
class Good:
    """The files of a run.

    Attributes:
        folder: The run folder.
    """

    folder: Path

    def lines(self, name: str) -> list[Line]:
        """Return what stands in a file."""
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def write(self, name: str, lines: list[Line]) -> None:
        """Write a file anew."""
        (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def make_good(folder: Path) -> Good:
    """Write a run in which everything came as it had to."""
    good = Good(folder)
    plan(folder, Wanted(SECONDS, SPEEDUP))
    said: list[Line] = []
    air = [_beacon("join", f"{GATEWAYS[name]}.{name}") for name in MONITORS]
    air += [_beacon("announcement", "g1.steam-v"), control_line({"Type": 16}, {}, 0)]
    city: list[Line] = [_wants("siena-sub", 'filter{ FES_Subject ="Speed" rate >40.0}')]
    reported: list[Line] = []
    second_copies = 0
    for moment in drive(SECONDS, 1):
        event = _said(said, "Speed", moment, rate=moment.rate_mph)
        air.append(crossing(event))
        hearing = near(moment.along_m)
        if hearing:
            city.append(surfacing(event))
            second_copies += len(hearing) - 1
            reported += [surfacing(event)] * (moment.rate_mph > 40)
        if moment.brakes:
            _said(said, "Brake", moment)
    for gateway in GATEWAYS.values():
        city.append(_wants(f"{gateway}.siena-m", 'filter{ FES_Subject ="FES_ControlEvent"}'))
        city.append(offers(f"{gateway}.siena-m"))
    city.append({"type": "suppressed", "count": second_copies})
    good.write(SAID, said)
    good.write(SEEN_BUS, _bus())
    good.write(SEEN_AIR, air)
    good.write(SEEN_CITY, city)
    good.write(HEARD, reported)
    return good


def near(along_m: float) -> list[str]:
    """Return the monitors that hear a vehicle at a place on the street."""
    return [name for name, stands_m in MONITORS.items() if abs(stands_m - along_m) <= 180]


def crossing(event: Line, **changed: Any) -> Line:
    """Return how the air tells of an event in a control event.

    Args:
        event: What was said.
        changed: What is other than it should be: `node`, `dist_list`, or members of the event.
    """
    node, dist_list = changed.pop("node", "g1.steam-v"), changed.pop("dist_list", "siena-m")
    inner = {"subject": event["subject"], "parameters": data(event) | changed, "attributes": {}}
    parameters = {"Type": 3, "DistList": dist_list, "Source": "cns-v", "Event": {"event": inner}}
    stamp = f"{event['id'].replace('/', ';')};{event['time_us']};cns-v"
    line = control_line(parameters, {"FES_EventStamp": stamp}, event["time_us"] + LATE_US)
    return line | {"node": node}


def control_line(parameters: Line, attributes: Line, time_us: int) -> Line:
    """Return how the air tells of a control event; its text is cut into pieces."""
    text = json.dumps(
        {"subject": "FES_ControlEvent", "parameters": parameters, "attributes": attributes}
    )
    pieces = {f"Text{number:02}": "" for number in range(1, 17)}
    pieces |= {"Text01": text[:20], "Text02": text[20:]}
    about = {"seen": "event", "node": "g1.steam-v", "id": f"g1.steam-v/1/{time_us}"}
    return {**about, "time_us": time_us, "subject": "FES_ControlEvent", "parameters": pieces}


def surfacing(event: Line, **changed: Any) -> Line:
    """Return how a client of SIENA tells of an event.

    Args:
        event: What was said.
        changed: What is other than it should be: `via`, or members of the event.
    """
    via = changed.pop("via", ["cns-v", "steam-v"])
    stamp = {"id": event["id"], "time_us": event["time_us"], "home": "cns-v", "via": via}
    told = {"FES_Subject": event["subject"], **data(event), **changed}
    return {"type": "notification", "stamp": stamp, "attributes": told}


def data(event: Line) -> Line:
    """Return what an event tells."""
    return {name: event[name] for name in ("license_no", "rate") if name in event}


def offers(party: str) -> Line:
    """Return how SIENA tells that a party advertises speeds."""
    told = 'filter{ FES_Subject ="Speed" license_no any rate any}'
    return {"type": "advertisement", "party": party, "filter": told}


def _wants(party: str, text: str) -> Line:
    return {"type": "subscription", "party": party, "filter": text}


def _beacon(seen: str, node: str) -> Line:
    return {"seen": seen, "node": node, "subject": "FES_ControlEvent", "time_us": 0}


def _bus() -> list[Line]:
    adapter = {"client": "fes-adapter g1.cns-v", "offers": [], "subscriptions": [["*", "Speed"]]}
    offered = {"added": [["*", "Brake"], ["*", "Speed"]], "removed": []}
    return [{"seen": "member", **adapter}, {"seen": "ready"}, {"seen": "offer_change", **offered}]


def _said(said: list[Line], subject: str, moment: Moment, **more: Any) -> Line:
    about = {"id": f"cns-pub/7/{len(said) + 1}", "time_us": moment.time_us, "subject": subject}
    said.append({**about, "license_no": "FES0001", **more})
    return said[-1]
