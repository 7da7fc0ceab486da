import pytest
from eventservices.cns.errors import InvalidChannelNameError
from eventservices.cns.subjects import MAX_CHANNEL_BYTES, channel_token
from hypothesis import given
from hypothesis import strategies as st

SAFE = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-%")


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("FES0001", "FES0001"),
        ("a.b", "a%2Eb"),
        ("*", "%2A"),
        (">", "%3E"),
        ("a b", "a%20b"),
        ("100%", "100%25"),
        ("~x", "%7Ex"),
        ("Straße", "Stra%C3%9Fe"),
        ("x\r\nPUB y 0", "x%0D%0APUB%20y%200"),
    ],
)
def test_what_a_subject_cannot_hold_is_percent_encoded(name: str, token: str) -> None:
    assert channel_token(name) == token


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=40))
def test_two_names_never_share_a_token(one: str, other: str) -> None:
    try:
        tokens = channel_token(one), channel_token(other)
    except InvalidChannelNameError:
        return
    assert (tokens[0] == tokens[1]) is (one == other)
    assert set(tokens[0]) <= SAFE


@pytest.mark.parametrize("name", ["", "x" * (MAX_CHANNEL_BYTES + 1), "." * 86, "\ud800"])
def test_a_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(InvalidChannelNameError, match="name"):
        channel_token(name)


def test_the_longest_name_is_taken() -> None:
    assert channel_token("x" * MAX_CHANNEL_BYTES) == "x" * MAX_CHANNEL_BYTES
