"""Whatever is appended and whenever it is read: a reader has the state that a dict would have."""

from collections.abc import Callable
from contextlib import closing

from conformance.store.places import Place, append_anyhow
from fes_gateway.store import Entry, fold
from hypothesis import given, settings
from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "c", "d"])
BATCH = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=3)), min_size=1, max_size=4)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 1), BATCH),
        st.tuples(st.just("snapshot"), st.integers(0, 1), st.just([])),
        st.tuples(st.just("read"), st.integers(0, 1), st.just([])),
    ),
    max_size=12,
)


@settings(max_examples=25)
@given(steps=STEPS)
def test_readers_have_what_a_dict_would_have(
    make: Callable[[], Place],
    steps: list[tuple[str, int, list[tuple[str, bytes | None]]]],
) -> None:
    with closing(make()) as place:
        journals = place.open(), place.open()
        truth: dict[str, bytes] = {}
        positions, states = [0, 0], [truth, truth]

        def read(who: int) -> None:
            tail = journals[who].read(positions[who])
            had = [] if tail.whole else [Entry(*item) for item in states[who].items()]
            positions[who], states[who] = tail.sequence, fold([*had, *tail.entries])
            assert states[who] == truth

        for act, who, pairs in steps:
            batch = [Entry(*pair) for pair in pairs]
            if act == "append":
                append_anyhow(journals[who], batch, journals[who].sequence())
                truth = fold([*(Entry(*item) for item in truth.items()), *batch])
            elif act == "snapshot":
                journals[who].snapshot()
            else:
                read(who)
        read(0)
        read(1)
        assert fold(journals[0].read().entries) == truth
