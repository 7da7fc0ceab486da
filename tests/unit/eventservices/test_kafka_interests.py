"""Changes of the topics that a member of a group reads: collected while the group divides."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import pytest
from eventservices.ending import ended
from eventservices.errors import EventServiceError, MalformedError, NotConnectedError, RefusedError
from eventservices.kafka import interests as module
from eventservices.kafka.interests import Found, Interest, Interests
from fes.testing.eventually import eventually


class Member:
    """A member whose group divides when the test says so.

    Attributes:
        topics: Topics that exist.
        refused: Topics that may not be read, and why.
        away: Why no broker answers.
        reads: Each set of topics that it was given.
    """

    def __init__(self) -> None:
        self.topics = {f"t{number}" for number in range(200)}
        self.refused: dict[str, EventServiceError] = {}
        self.away: EventServiceError | None = None
        self.reads: list[list[str]] = []
        self.interests = Interests(self)

    async def find(self, topics: Sequence[str]) -> Found:
        await asyncio.sleep(0)
        if self.away:
            raise self.away
        names = {name for name in self.topics if Interest(topics).needs(frozenset((name,)))}
        refused = {name: error for name, error in self.refused.items() if name in topics}
        return Found(frozenset(names), refused)

    async def read(self, topics: Sequence[str]) -> None:
        await asyncio.sleep(0)
        self.reads.append(list(topics))

    def divide(self, *more: str, without: Sequence[str] = ()) -> None:
        """Let the group finish a division: the member has all that it read."""
        read = self.reads[-1] if self.reads else []
        found = {each for each in self.topics if Interest(read).needs(frozenset((each,)))}
        self.interests.assigned(frozenset(found.union(more).difference(without)))


@pytest.fixture
async def member() -> AsyncIterator[Member]:
    made = Member()
    running = asyncio.create_task(made.interests.run())
    yield made
    await ended(running)
    made.interests.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ASSIGNED_S", 0.05)
    monkeypatch.setattr(module, "OTHERS_S", 0.05)
    monkeypatch.setattr(module, "AGAIN_S", 0.01)


async def reads(member: Member, number: int) -> None:
    await eventually(lambda: len(member.reads) >= number, 5.0, f"{number} changes")
    await pause()


async def pause() -> None:
    """Let everything happen that can happen without anybody's help."""
    for _ in range(20):
        await asyncio.sleep(0)


def failure(interest: Interest) -> str:
    assert interest.ready.done()
    return str(interest.ready.exception())


async def test_what_comes_during_a_division_is_made_together_by_the_next(member: Member) -> None:
    first = member.interests.add(["t0"])
    await reads(member, 1)
    others = []
    for number in range(1, 100):
        others.append(member.interests.add([f"t{number}"]))
        await asyncio.sleep(0)
    assert member.reads == [["t0"]]
    member.divide()
    await first.ready
    await reads(member, 2)
    assert not any(each.ready.done() for each in others), "nothing is ready before it is read"

    member.divide()
    await asyncio.gather(*(each.ready for each in others))
    assert len(member.reads) == member.interests.changes == 2
    assert set(member.reads[1]) == {f"t{number}" for number in range(100)}


async def test_what_is_read_already_costs_no_division(member: Member) -> None:
    first = member.interests.add(["t0", "t1"])
    await reads(member, 1)
    member.divide()
    await first.ready
    await member.interests.add(["t1"]).ready
    member.interests.remove(first)
    await reads(member, 2)

    assert member.reads == [["t0", "t1"], ["t1"]]


async def test_each_is_ready_with_its_own_topic_also_where_another_comes_later(
    member: Member,
) -> None:
    early, late = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.divide(without=["t1"])
    await early.ready
    await pause()
    assert not late.ready.done(), "the division began before the change"
    member.divide()
    await late.ready


async def test_ends_are_collected_too_and_nobody_waits_for_them(member: Member) -> None:
    interests = [member.interests.add([f"t{number}"]) for number in range(50)]
    await reads(member, 1)
    member.divide()
    await interests[-1].ready
    for each in interests[:20]:
        member.interests.remove(each)
        member.interests.remove(each)
        await pause()
    await reads(member, 2)
    member.divide()
    await reads(member, 3)

    assert [len(each) for each in member.reads] == [50, 49, 30]


async def test_who_comes_while_the_group_gives_up_a_topic_is_made_after_it(member: Member) -> None:
    gone, stays = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.divide()
    await stays.ready
    member.interests.remove(gone)
    await reads(member, 2)
    fresh = member.interests.add(["t0"])
    await pause()
    assert len(member.reads) == 2
    assert not fresh.ready.done()
    member.divide()
    await reads(member, 3)
    assert not fresh.ready.done(), "it was given up meanwhile"
    member.divide()
    await fresh.ready


async def test_what_was_given_up_with_all_others_is_waited_for_again(member: Member) -> None:
    only = member.interests.add(["t0"])
    await reads(member, 1)
    member.divide()
    await only.ready
    member.interests.remove(only)
    await reads(member, 2)
    again = member.interests.add(["t0"])
    await reads(member, 3)
    assert not again.ready.done()
    member.divide()
    await again.ready
    assert member.reads == [["t0"], [], ["t0"]]


async def test_one_that_is_withdrawn_while_it_waits_is_never_read(member: Member) -> None:
    first = member.interests.add(["t0"])
    await reads(member, 1)
    withdrawn, other = member.interests.add(["t1"]), member.interests.add(["t2"])
    member.interests.remove(withdrawn)
    assert "withdrawn" in failure(withdrawn)
    member.divide()
    await first.ready
    await reads(member, 2)
    member.divide()
    await other.ready

    assert member.reads == [["t0"], ["t0", "t2"]]


async def test_one_that_is_withdrawn_while_the_group_divides_for_it_holds_nobody_up(
    member: Member,
) -> None:
    withdrawn, other = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.interests.remove(withdrawn)
    member.divide()
    await other.ready
    await reads(member, 2)
    assert member.reads == [["t0", "t1"], ["t1"]]


async def test_a_topic_that_is_not_permitted_fails_alone(member: Member) -> None:
    member.refused["secret"] = RefusedError("secret: TOPIC_AUTHORIZATION_FAILED")
    secret, other = member.interests.add(["secret"]), member.interests.add(["t1"])
    await reads(member, 1)
    assert failure(secret) == "secret: TOPIC_AUTHORIZATION_FAILED"
    assert isinstance(secret.ready.exception(), RefusedError)
    member.divide()
    await other.ready
    assert member.reads == [["t1"]], "it is not even requested"


async def test_topics_that_are_refused_together_cost_a_look_at_each_interest(
    member: Member, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks, waits = 0, module._waits

    def counting(interest: Interest) -> bool:
        nonlocal looks
        looks += 1
        return waits(interest)

    monkeypatch.setattr(module, "_waits", counting)
    topics = [f"{letter}{number}" for letter in "tu" for number in range(100)]
    member.refused = {topic: RefusedError(f"not {topic}") for topic in topics}
    interests = [member.interests.add([f"t{number}", f"u{number}"]) for number in range(100)]
    await eventually(lambda: all(each.ready.done() for each in interests), 5.0)
    assert [failure(each) for each in interests] == [f"not {topic}" for topic in topics[:100]]
    assert not caplog.records, "whoever needs them was informed"
    assert looks <= 10 * len(interests)


async def test_a_topic_that_is_refused_during_the_division_fails_alone(member: Member) -> None:
    secret, other = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.interests.deny("t0", RefusedError("t0 is not permitted"))
    await pause()
    assert failure(secret) == "t0 is not permitted"
    member.divide(without=["t0"])
    await other.ready
    await reads(member, 2)
    assert member.reads == [["t0", "t1"], ["t1"]]


async def test_a_topic_that_is_refused_later_is_a_line_of_the_log(
    member: Member, caplog: pytest.LogCaptureFixture
) -> None:
    ready = member.interests.add(["t0"])
    await reads(member, 1)
    member.divide()
    await ready.ready
    member.interests.deny("t0", RefusedError("t0 is not permitted any more"))

    assert [(each.msg, vars(each)["topic"]) for each in caplog.records] == [("topic_refused", "t0")]


async def test_a_topic_that_does_not_exist_is_named_and_waits_for_nothing(
    member: Member, caplog: pytest.LogCaptureFixture
) -> None:
    absent = member.interests.add(["nope"])
    await absent.ready
    other = member.interests.add(["t1"])
    await reads(member, 2)
    member.divide()
    await other.ready

    assert member.reads == [["nope"], ["nope", "t1"]], "it is found once it is made"
    assert [(each.msg, vars(each)["topic"]) for each in caplog.records] == [
        ("topic_missing", "nope")
    ]
    assert member.interests.missing == 1
    member.topics.add("nope")
    member.divide()
    assert member.interests.missing == 0
    member.interests.add(["absent"])
    await reads(member, 3)
    member.interests.add(["too"])
    await reads(member, 4)  # all that exist are read already: no division was waited for


async def test_a_pattern_is_ready_once_all_that_it_matches_are_read(member: Member) -> None:
    member.topics = {"a.1", "a.2", "b.1"}
    interest = member.interests.add(["^a\\..*$"])
    await reads(member, 1)
    member.divide(without=["a.2"])
    await pause()
    assert not interest.ready.done()
    member.divide()
    await interest.ready


async def test_what_other_members_have_is_ready_after_a_while(
    member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OTHERS_S", 0.05)
    theirs, own = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.divide(without=["t0"])
    async with asyncio.timeout(module.ASSIGNED_S / 2):
        await asyncio.gather(own.ready, theirs.ready)
        await member.interests.add(["t0"]).ready
    assert len(member.reads) == 1


@pytest.mark.usefixtures("quick")
async def test_a_division_that_does_not_end_fails_who_waits_for_it_and_the_next_is_made(
    member: Member,
) -> None:
    lost = member.interests.add(["t0"])
    with pytest.raises(NotConnectedError, match="in time"):
        await lost.ready
    again = member.interests.add(["t0"])
    while not again.ready.done():
        await reads(member, 1)
        member.divide()
    assert again.ready.exception() is None


@pytest.mark.usefixtures("quick")
async def test_while_no_broker_answers_all_that_wait_fail_together_and_come_back_later(
    member: Member,
) -> None:
    member.away = NotConnectedError("no broker answers")
    lost = [member.interests.add([f"t{number}"]) for number in range(3)]
    await eventually(lambda: all(each.ready.done() for each in lost), 5.0)
    assert {failure(each) for each in lost} == {"no broker answers"}
    assert not member.interests.topics
    member.away = None
    again = [member.interests.add([f"t{number}"]) for number in range(3)]
    await reads(member, 1)
    member.divide()
    await asyncio.gather(*(each.ready for each in again))
    assert len(member.reads) == 1


@pytest.mark.usefixtures("quick")
async def test_what_is_withdrawn_while_no_broker_answers_ends_later(member: Member) -> None:
    gone, stays = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.divide()
    await stays.ready
    member.away = NotConnectedError("no broker answers")
    member.interests.remove(gone)
    await pause()
    assert member.reads == [["t0", "t1"]]
    member.away = None
    await reads(member, 2)
    assert member.reads[1] == ["t1"]


async def test_partitions_that_are_lost_in_the_middle_are_waited_for_again(member: Member) -> None:
    """The broker restarts: the member loses all, and joins again by itself."""
    first, second = member.interests.add(["t0"]), member.interests.add(["t1"])
    await reads(member, 1)
    member.divide(without=["t1"])
    await first.ready
    member.interests.released(frozenset({"t0"}))
    third = member.interests.add(["t0"])
    await pause()
    assert not second.ready.done()
    assert not third.ready.done()
    member.divide()
    await asyncio.gather(second.ready, third.ready)
    assert len(member.reads) == 1


async def test_who_comes_after_all_partitions_are_lost_waits_for_them(member: Member) -> None:
    first = member.interests.add(["t0"])
    await reads(member, 1)
    member.divide()
    await first.ready
    member.interests.released(frozenset({"t0"}))
    second = member.interests.add(["t0"])
    await pause()
    assert not second.ready.done()
    member.divide()
    await second.ready


async def test_closing_in_the_middle_fails_who_waits() -> None:
    member = Member()
    running = asyncio.create_task(member.interests.run())
    waits = member.interests.add(["t0"])
    await reads(member, 1)
    later = member.interests.add(["t1"])
    await ended(running)
    member.interests.close()

    assert failure(waits) == failure(later) == "the consumer is closed"
    assert not member.interests.topics


async def test_there_is_a_bound_on_interests(
    member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    member.interests.add(["t0"])
    last = member.interests.add(["t1"])
    with pytest.raises(RefusedError, match="more than 2"):
        member.interests.add(["t2"])
    assert member.interests.refused == 1
    member.interests.remove(last)
    member.interests.add(["t2"])


@pytest.mark.parametrize("topic", ["", "^(a"])
async def test_what_is_no_topic_is_refused_at_once(member: Member, topic: str) -> None:
    with pytest.raises(MalformedError):
        member.interests.add(["t0", topic])
    assert not member.interests.topics


@pytest.mark.usefixtures("quick")
async def test_a_member_that_does_not_answer_fails_who_waits_and_is_asked_again(
    member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def halted(topics: Sequence[str]) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(member, "read", halted)
        with pytest.raises(NotConnectedError, match="does not answer"):
            await member.interests.add(["t0"]).ready
    again = member.interests.add(["t1"])
    await reads(member, 1)
    member.divide()
    await again.ready


async def test_who_no_longer_waits_harms_nobody(member: Member) -> None:
    interest, other = member.interests.add(["t0"]), member.interests.add(["t1"])
    waiting = asyncio.create_task(_wait(interest))
    await reads(member, 1)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    member.interests.remove(interest)
    member.divide()
    await other.ready
    await reads(member, 2)
    assert member.reads[-1] == ["t1"]


async def _wait(interest: Interest) -> None:
    await interest.ready
