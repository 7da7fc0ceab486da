import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Filter, where
from eventservices.siena.subjects import Subjects, encode_token


def test_without_index_there_is_one_subject() -> None:
    subjects = Subjects("city")
    assert subjects.publish_to({"a": "x"}) == "siena.city.n"
    assert subjects.subscribe_to(where(("a", "=", "x"))) == "siena.city.n"


def test_the_index_attribute_becomes_a_token() -> None:
    subjects = Subjects("city", "kind")
    assert subjects.publish_to({"kind": "Speed"}) == "siena.city.n.=Speed"
    assert subjects.subscribe_to(where(("kind", "=", "Speed"), ("a", ">", 1))).endswith("n.=Speed")


@pytest.mark.parametrize("attributes", [{}, {"kind": 1}, {"kind": b"Speed"}, {"kind": True}])
def test_without_a_string_there_the_marker_stands(attributes: dict[str, int]) -> None:
    assert Subjects("city", "kind").publish_to(attributes) == "siena.city.n.!"


def test_an_equality_with_no_string_goes_to_the_marker() -> None:
    assert Subjects("city", "kind").subscribe_to(where(("kind", "=", 1))) == "siena.city.n.!"


@pytest.mark.parametrize(
    "what", [Filter(), where(("a", "=", "x")), where(("kind", ">*", "S")), where(("kind", "any"))]
)
def test_another_filter_goes_to_all_tokens(what: Filter) -> None:
    assert Subjects("city", "kind").subscribe_to(what) == "siena.city.n.*"


@pytest.mark.parametrize("text", ["a.b", "*", ">", "a b", "\r\nPUB x 0\r\n", "ä", "~", "%", "!"])
def test_a_token_has_no_sign_that_nats_knows(text: str) -> None:
    token = encode_token(text)
    assert token.isascii()
    assert not set(token) & set(". *>\r\n\t!~")


def test_tokens_of_different_texts_differ() -> None:
    texts = ["", "a", "A", "a.b", "a%2Eb", "x" * 120, "x" * 121, "x" * 122, "#", "é"]
    assert len({encode_token(text) for text in texts}) == len(texts)


def test_a_long_text_becomes_a_hash_of_bounded_length() -> None:
    assert len(encode_token("ä" * 10_000)) < 40


@pytest.mark.parametrize("service", ["", "x" * 256])
def test_a_service_has_a_name(service: str) -> None:
    with pytest.raises(MalformedError):
        Subjects(service)


def test_the_index_is_an_attribute_name() -> None:
    with pytest.raises(MalformedError, match="a-b"):
        Subjects("city", "a-b")
