"""Names of streams and consumers at the broker."""

import pytest
from eventservices.cns.persistent.names import consumer_name, stream_name
from eventservices.cns.subjects import channel_token
from eventservices.errors import MalformedError
from hypothesis import given
from hypothesis import strategies as st

FORBIDDEN = set(" .*>/\\\t\r\n")


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_two_channels_never_share_a_stream(one: str, other: str) -> None:
    try:
        tokens = channel_token(one), channel_token(other)
    except MalformedError:
        return
    names = stream_name(tokens[0]), stream_name(tokens[1])

    assert (names[0] == names[1]) is (one == other)
    assert not FORBIDDEN & set(names[0])
    assert len(names[0]) <= 124


@pytest.mark.parametrize("name", ["", "\ud800", "x" * 256])
def test_a_durable_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(MalformedError, match="name"):
        consumer_name(name)


def test_a_durable_name_may_hold_anything() -> None:
    assert consumer_name("display 1.a") == "display%201%2Ea"
    assert consumer_name("x" * 200) != consumer_name("x" * 201)
