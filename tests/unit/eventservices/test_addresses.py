"""The address of a server."""

import pytest
from eventservices.addresses import split_url
from eventservices.errors import MalformedError


@pytest.mark.parametrize("port", ["0", "65536", "99999", "-1", "x", "1.5"])
def test_a_port_outside_1_to_65535_is_refused_without_showing_the_password(port: str) -> None:
    with pytest.raises(MalformedError) as raised:
        split_url(f"nats://me:secret@h:{port}/x")
    assert str(raised.value) == f"the port of 'h:{port}/x' is not a number from 1 to 65535"


@pytest.mark.parametrize(("rest", "port"), [("", None), (":1", 1), (":65535", 65535)])
def test_a_port_may_be_left_out(rest: str, port: int | None) -> None:
    assert split_url(f"mqtt://h{rest}").port == port


@pytest.mark.parametrize("sign", ["#", "?", "/"])
def test_a_password_that_ends_the_address_is_named_and_not_shown(sign: str) -> None:
    with pytest.raises(MalformedError, match="in a user's name or password are percent") as raised:
        split_url(f"nats://me:sec{sign}ret@h:1")
    assert "sec" not in str(raised.value)
    assert "ret" not in str(raised.value)


def test_an_at_sign_behind_the_host_is_no_matter() -> None:
    assert split_url("http://h/a?to=me@home").hostname == "h"


def test_a_bracket_that_nothing_closes_is_no_address() -> None:
    with pytest.raises(MalformedError, match=r"^'nats://\[h:1' is not an address: Invalid IPv6"):
        split_url("nats://[h:1")
