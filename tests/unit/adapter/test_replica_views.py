"""Replicas come and go; what one that is gone wanted ends, what one that is away wanted stays."""

from fes.adapter.replicas.membership import FORGET_S
from fes.link.messages import Desired, Subscribe, View
from unit.adapter.replicated import Bench, Replica, linked


def test_what_a_replica_wanted_stays_wanted_when_its_link_breaks() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("y")

    bench["A"].down()
    bench["B"].down()

    assert bench.inside.filters == ["x", "y"]


def test_what_a_replica_wanted_ends_when_it_comes_back_and_says_otherwise() -> None:
    bench = Bench("A")
    bench["A"].link("x", "y")
    bench["A"].down()
    bench["A"].up()
    assert bench.inside.filters == ["x", "y"]

    bench["A"].desire("y")

    assert bench.inside.filters == ["y"]


def test_what_a_replica_wanted_ends_when_the_newest_view_no_longer_names_it() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("x", "y")
    bench["B"].down()

    bench.change(2, "A")
    bench["A"].view(bench.view)

    assert bench.inside.filters == ["x"]


def test_nothing_ends_before_the_state_of_who_tells_the_newest_view_is_here() -> None:
    bench = Bench("A", "B", "C")
    bench["A"].link("x")
    bench["B"].link("y")
    bench["B"].down()
    bench.change(2, "C")
    bench["C"].up()
    assert bench.inside.filters == ["x", "y"]

    bench["C"].desire("z")

    assert bench.inside.filters == ["z"]


def test_a_replica_that_is_named_again_is_believed_what_it_said_meanwhile() -> None:
    bench = Bench("A", "B")
    bench["A"].link("x")
    bench["B"].link("y")
    bench.change(2, "A")
    bench["A"].view(bench.view)
    bench["B"].subscribe("z")
    assert bench.inside.filters == ["x"]

    bench.change(3, "A", "B")
    bench["A"].view(bench.view)

    assert bench.inside.filters == ["x", "y", "z"]


def test_a_restarted_gateway_has_replicas_now() -> None:
    bench = Bench()
    alone = Replica(bench, "alone")
    alone.link("x", "y")
    alone.down()
    bench.change(1, "A", "B")
    replica = bench.replicas["A"] = Replica(bench, "A")

    replica.link("x")

    assert bench.inside.filters == ["x"]
    assert bench.hear("x", persistent=True)
    assert replica.heard[0].matched == (replica.wants["x"],)


def test_a_gateway_without_replicas_takes_over_from_those_that_are_gone() -> None:
    bench = linked("A", "B", filters=("x", "y"))
    bench["A"].down()
    bench["B"].down()
    bench.newest = None
    alone = Replica(bench, "alone")
    alone.link("y")

    assert bench.inside.filters == ["y"]
    assert bench.hear("y")
    assert alone.heard[0].matched == (alone.wants["y"],)
    assert bench.board.linked


def test_a_gateway_that_says_no_view_is_not_used_beside_replicas_that_are_there() -> None:
    bench = linked("A")
    view, bench.newest = bench.newest, None
    alone = Replica(bench, "alone")
    alone.link("z")
    alone.publish()

    bench.hear("x")
    assert not alone.heard
    assert bench.reasons == ["not its replica"]
    assert bench.inside.filters == ["x"]

    bench["A"].down()
    assert bench.inside.filters == ["z"]
    assert bench.hear("z")
    assert alone.heard
    assert view is not None


def test_a_link_in_memory_may_turn_out_to_be_one_to_a_replica() -> None:
    bench = Bench()
    end = Replica(bench, "A")
    end.line.up(end, at_once=True)
    linked_then = [bench.board.linked]

    end.line.receive(View(1, "A", "A", ("A",)))
    linked_then.append(bench.board.linked)
    end.line.receive(Desired(1, (Subscribe(1, "x", 1),), ()))

    assert [*linked_then, bench.board.linked] == [True, False, True]
    assert bench.hear("x")


def test_what_was_said_before_the_first_view_is_what_the_replica_said() -> None:
    bench = Bench()
    end = Replica(bench, "A")
    end.link("x", "y")
    before = dict(bench.inside.held)

    end.line.receive(View(1, "A", "A", ("A",)))

    assert bench.inside.held == before
    assert bench.board.linked
    bench.hear("y")
    assert end.heard[0].matched == (end.wants["y"],)
    end.unsubscribe("x")
    assert bench.inside.filters == ["y"]


def test_a_new_link_of_a_replica_is_used_instead_of_its_old_one() -> None:
    bench = linked("A")
    old, new = bench["A"], Replica(bench, "A")
    new.link("x", "y")
    bench.hear("x")
    assert not old.heard
    assert new.sequences == [1]

    old.subscribe("z")
    old.down()

    assert bench.inside.filters == ["x", "y"]
    assert bench.hear("x", sequence=2)
    assert new.sequences == [1, 2]


def test_an_older_view_is_believed_only_when_nobody_of_the_newest_was_there_for_long() -> None:
    bench = linked("A", "B")
    bench.change(9, "A", "B")
    bench["A"].view(bench.view)
    bench["A"].down()
    bench["B"].down()
    bench.change(1, "N")
    new = bench.replicas["N"] = Replica(bench, "N")
    bench.pass_s(1)
    new.link("x", "n")
    linked_then = bench.board.linked
    assert bench.inside.filters == ["x"]

    bench.pass_s(FORGET_S + 1)

    assert (linked_then, bench.board.linked) == (False, True)
    assert bench.inside.filters == ["n", "x"]
    bench.hear("n")
    assert len(new.heard) == 1


def test_an_older_view_is_not_believed_while_one_of_the_newest_is_there() -> None:
    bench = linked("A", "B")
    bench.change(9, "A", "B")
    bench["A"].view(bench.view)
    bench.change(1, "N")
    old = Replica(bench, "N")
    old.link("n")

    bench.pass_s(FORGET_S + 1)

    assert bench.inside.filters == ["x"]
