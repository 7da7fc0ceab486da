from eventservices.cns.changes import BEATS_MISSED, MAX_MEMBERS, Change, ChangeTable, Member
from eventservices.cns.event_type import EventType
from hypothesis import given
from hypothesis import strategies as st

A, B, C = EventType("d", "a"), EventType("d", "b"), EventType("d", "c")


def member(name: str, version: int, offers: str = "", subscriptions: str = "") -> Member:
    return Member(
        name,
        "client",
        version,
        frozenset(EventType("d", letter) for letter in offers),
        frozenset(EventType("d", letter) for letter in subscriptions),
        2.0,
    )


def test_only_the_first_to_offer_a_type_and_the_last_change_the_union() -> None:
    table = ChangeTable()

    assert table.put(member("one", 1, "ab"), 0.0).offers == Change((A, B), ())
    assert not table.put(member("two", 1, "bc"), 0.0).offers.removed
    assert list(table.offers) == [A, B, C]
    assert table.put(member("one", 2, "c"), 0.0).offers == Change((), (A,))
    assert table.remove("two").offers == Change((), (B,))
    assert list(table.offers) == [C]


def test_offers_and_subscriptions_are_kept_apart() -> None:
    table = ChangeTable()

    outcome = table.put(member("one", 1, "a", "b"), 0.0)

    assert outcome.offers == Change((A,), ())
    assert outcome.subscriptions == Change((B,), ())


def test_an_older_state_is_ignored() -> None:
    table = ChangeTable()
    table.put(member("one", 2, "a"), 0.0)

    assert not table.put(member("one", 1, "b"), 0.0).news
    assert not table.put(member("one", 2, "b"), 0.0).news
    assert table.offers == (A,)


def test_a_beat_tells_whether_the_state_is_known() -> None:
    table = ChangeTable()
    table.put(member("one", 2, "a"), 0.0)

    assert table.beat("one", 2, 1.0)
    assert not table.beat("one", 3, 1.0)
    assert not table.beat("two", 1, 1.0)


def test_who_gives_no_sign_of_life_expires() -> None:
    table = ChangeTable()
    table.put(member("one", 1, "a"), 0.0)
    table.put(member("two", 1, "a"), 0.0)
    lease = 2.0 * BEATS_MISSED

    table.beat("two", 1, lease)

    assert list(table.expired(lease - 0.1)) == []
    assert list(table.expired(lease + 0.1)) == ["one"]
    table.extend_all(lease)
    assert list(table.expired(lease + 0.1)) == []


def test_removing_whom_nobody_knows_is_no_news() -> None:
    assert not ChangeTable().remove("one").news


def test_the_table_is_bounded() -> None:
    table = ChangeTable()
    for number in range(MAX_MEMBERS):
        table.put(member(str(number), 1), 0.0)

    assert not table.put(member("late", 1, "a"), 0.0).news
    assert table.refused == 1
    assert table.put(member("7", 2, "a"), 0.0).news


steps = st.lists(
    st.tuples(st.sampled_from("xyz"), st.none() | st.tuples(st.text("abc"), st.text("abc")))
)


@given(steps)
def test_changes_add_up_to_the_union_of_all_members(
    script: list[tuple[str, tuple[str, str] | None]],
) -> None:
    table = ChangeTable()
    states: dict[str, tuple[str, str]] = {}
    heard: set[EventType] = set()
    for version, (name, state) in enumerate(script, 1):
        if state is None:
            outcome = table.remove(name)
            states.pop(name, None)
        else:
            outcome = table.put(member(name, version, *state), 0.0)
            states[name] = state
        assert heard.isdisjoint(outcome.offers.added)
        assert heard.issuperset(outcome.offers.removed)
        heard = (heard | set(outcome.offers.added)) - set(outcome.offers.removed)
    expected = {EventType("d", letter) for offers, _ in states.values() for letter in offers}

    assert heard == set(table.offers) == expected
