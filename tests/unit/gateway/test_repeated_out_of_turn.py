"""Events that other gateways hand over again, out of turn."""

from fes.link.messages import Confirmed
from support.gateways.cores import NOW
from support.gateways.custodies import asked, give, given, publications, reasons


def test_an_event_had_by_another_way_does_not_stand_for_the_one_before_it() -> None:
    core, _ = asked("far")
    _, outputs = give(core, given(9, sequence=2, giver="g3"))
    core.handle(Confirmed(publications(outputs)[0].row), NOW, "north")

    _, repeated = give(core, given(6, sequence=2, after=5))
    _, behind = give(core, given(7, sequence=3, after=6))

    assert reasons(repeated, "suppressed") == ["repeated"]
    assert reasons(behind, "suppressed") == ["out of turn"]
    assert publications(behind) == []
