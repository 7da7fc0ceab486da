"""What a run says of parts that do not get ready, and how long it waits for them."""

from fes.running.faults import Faults


def test_what_is_not_ready_is_told_with_since_when_why_and_where_to_look() -> None:
    now_s, said = [0.0], list[str]()
    faults = Faults(said.append, lambda: now_s[0])
    faults.put({"g.a": "no broker", "g.b": "refused"}, {"g.a": "logs/g.log"})
    now_s[0] = 7.0
    faults.put({"g.a": "no broker\nat all", "g.b": "refused"}, {"g.a": "logs/g.log"})
    assert faults.summary(1) == "g.a, for 7 s: no broker at all; see logs/g.log; and 1 more"
    assert not said
    now_s[0] = 12.0
    faults.put({"g.a": "no broker"}, {"g.a": "logs/g.log"})
    line = "not ready: g.a, for 12 s: no broker; see logs/g.log; it is tried again"
    assert said == [line]
