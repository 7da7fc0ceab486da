"""How far a partition of Kafka is done."""

from eventservices.kafka.offsets import Offsets
from hypothesis import given
from hypothesis import strategies as st


@given(st.permutations(range(8)))
def test_an_offset_is_done_once_all_before_it_are(order: list[int]) -> None:
    offsets = Offsets()
    for offset in range(8):
        offsets.delivered(offset)
    done: set[int] = set()
    for offset in order:
        done.add(offset)
        expected = next((n for n in range(8) if n not in done), 8)
        assert offsets.done(offset) == expected
