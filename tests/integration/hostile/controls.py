"""Control events that are none, whatever event service carries them."""

from typing import Any, NamedTuple

RATE = '{"subject": "Speed", "parameters": {"rate": 1.0}, "attributes": %s}'


class Case(NamedTuple):
    """How a control event differs from a good subscription, and why it is refused.

    Attributes:
        parameters: Other values; None leaves one out. `Event` is JSON text.
        attributes: Other bookkeeping; None leaves one out.
        reason: Part of what the event log says.
    """

    parameters: dict[str, Any]
    attributes: dict[str, Any]
    reason: str

    def request(self, source: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return parameters and attributes of the control event."""
        good = {"Type": 2, "DistList": "city", "Source": source, "Filter": "rate > 1"}
        return _present(good | self.parameters), _present({"FES_System": "test"} | self.attributes)


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _publication(event: str | None, **more: Any) -> dict[str, Any]:
    return {"Type": 3, "Filter": None, "Event": event, **more}


CASES: dict[str, Case] = {
    "an unknown type": Case({"Type": 99}, {}, "'Type': no request has number 99"),
    "a type in words": Case({"Type": "subscription"}, {}, "'Type': expected int"),
    "no type": Case({"Type": None}, {}, "'Type' is missing"),
    "no list": Case({"DistList": None}, {}, "'DistList' is missing"),
    "no source": Case({"Source": None}, {}, "'Source' is missing"),
    "no filter": Case({"Filter": None}, {}, "'Filter' is missing"),
    "no event": Case(_publication(None), {}, "'Event' is missing or not an event"),
    "a bad filter": Case({"Filter": "rate >> 3"}, {}, "'Filter': expected"),
    "an endless filter": Case({"Filter": "x" * 20_000}, {}, "'Filter'"),
    "a filter nested deep": Case({"Filter": "(" * 5000 + "a" + ")" * 5000}, {}, "'Filter'"),
    "a list that names nobody": Case({"DistList": ""}, {}, "names nobody"),
    "a list with a hole": Case({"DistList": "a,,b"}, {}, "DistList: element 2"),
    "an endless list": Case({"DistList": ",".join(["s"] * 5000)}, {}, "DistList has more than"),
    "an unknown source": Case({"Source": "west"}, {}, "no event service 'west'"),
    "another's source": Case({"Source": "city"}, {}, "cannot speak for 'city'"),
    "another system": Case({}, {"FES_System": "elsewhere"}, "'elsewhere' is another system"),
    "no system": Case({}, {"FES_System": None}, "'' is another system"),
    "a version of the future": Case({}, {"FES_Version": 2**62}, "lies in the future"),
    "an id that is none": Case({}, {"FES_Id": "a;b;c"}, "stamp is not well formed: 'a;b;c'"),
    "an id out of range": Case(
        {}, {"FES_Id": f"o;1;{10**30};1;cns"}, "stamp is not well formed: 'o;1;1000"
    ),
    "an endless path": Case({}, {"FES_Path": ",".join("s" * 99)}, "'FES_Path' names 99"),
    "an endless requester": Case({}, {"FES_Requester": "r" * 600}, "'FES_Requester' has 600"),
    "a reserved subject": Case(
        _publication('{"subject": "FES_Other"}'), {}, "'Event': subject 'FES_Other' is reserved"
    ),
    "a control event in a publication": Case(
        _publication('{"subject": "FES_ControlEvent"}'), {}, "'FES_ControlEvent' is reserved"
    ),
    "a publication of bare NaN": Case(
        _publication('{"subject": "a", "parameters": {"x": NaN}}'), {}, "bare NaN"
    ),
    "a publication of an unknown key": Case(
        _publication('{"subject": "a", "colour": 1}'), {}, "unknown member 'colour'"
    ),
    "a publication out of time": Case(
        _publication(RATE % '{"Timeout": -1.0}', DistList="city"), {}, "'Timeout': -1.0"
    ),
}
