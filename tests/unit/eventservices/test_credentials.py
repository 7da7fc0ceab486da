"""Names and passwords of brokers."""

from pathlib import Path

import pytest
from eventservices.credentials import read_password, with_credentials, without_credentials
from eventservices.errors import RefusedError
from eventservices.natslink import NatsLink
from hypothesis import given
from hypothesis import strategies as st

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(texts, texts)
def test_what_was_put_into_an_address_comes_out_of_it(user: str, password: str) -> None:
    url = with_credentials("nats://broker:4222", user, password)
    assert without_credentials(url) == ("nats://broker:4222", user, password)


def test_an_address_without_a_name_stays_as_it_is() -> None:
    assert with_credentials("mqtt://air:1883", "", "ignored") == "mqtt://air:1883"
    assert without_credentials("mqtt://air:1883") == ("mqtt://air:1883", None, None)


def test_a_name_that_an_address_carries_is_replaced() -> None:
    assert with_credentials("nats://old:word@broker", "new", "x") == "nats://new:x@broker"


def test_a_password_ends_before_the_last_line_break(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("a b\n")
    assert read_password(file) == "a b"


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "is empty"), (b" \n", "is empty"), (b"x" * 4097, "larger than"), (b"\xff", "not UTF-8")],
)
def test_a_file_without_a_password_is_refused_by_name(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(RefusedError, match=f"{file}.*{reason}"):
        read_password(file)


def test_an_absent_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"nothing.*No such file"):
        read_password(tmp_path / "nothing")


def test_a_link_to_one_of_the_servers_is_the_same_users() -> None:
    link = NatsLink(["nats://fes:s%40cret@a:4222", "nats://b:4222"])
    other = link.to("nats://b:4222")
    assert other._servers[:3] == (["nats://b:4222"], "fes", "s@cret")


def test_a_link_without_a_user_leads_to_one_without() -> None:
    assert NatsLink(["nats://a"]).to("nats://b")._servers.user is None
