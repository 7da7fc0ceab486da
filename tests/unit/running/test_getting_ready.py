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


def test_another_reason_is_reported_too_but_not_without_end() -> None:
    """The first may be that nothing was tried yet, and would be all that anybody reads."""
    now_s, said = [0.0], list[str]()
    faults = Faults(said.append, lambda: now_s[0])
    for each in range(12):
        now_s[0] += 6.0
        faults.put({"g.a": f"reason {each // 3}"}, {})
    assert [line.split("; ")[0] for line in said] == [
        "not ready: g.a, for 12 s: reason 0",
        "not ready: g.a, for 24 s: reason 1",
        "not ready: g.a, for 42 s: reason 2",
    ]
    faults.put({}, {})
    assert said[-1] == "ready: g.a, after 72 s"
    faults.put({"g.a": "reason 0"}, {})
    now_s[0] += 10.0
    faults.put({"g.a": "reason 0"}, {})
    assert said[-1] == "not ready: g.a, for 10 s: reason 0; it is tried again"
