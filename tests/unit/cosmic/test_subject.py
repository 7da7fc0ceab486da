import pytest
from eventservices.cosmic.subject import check_uid, show_uid, subject_uid
from eventservices.errors import MalformedError

AWKWARD = [
    "Speed", "S", "12345678", "123456789", "a b", "ü" * 4, "ü" * 5, "é\0", "\0", "FES_ControlEvent",
    "Ölstand/links.1 *?%#", "名前", "😀😀", "😀😀😀", "\ufeff", "x" * 512, " ", "%00", "\xff" * 3,
]  # fmt: skip


def test_a_short_name_is_its_own_number() -> None:
    assert subject_uid("Speed") == b"Speed\0\0\0"
    assert subject_uid("12345678") == b"12345678"


def test_a_long_name_is_a_digest_that_no_short_name_can_be() -> None:
    uid = subject_uid("123456789")
    assert len(uid) == 8
    assert uid[0] == 0xFF


def test_awkward_names_have_numbers_of_their_own() -> None:
    assert len({subject_uid(name) for name in AWKWARD}) == len(AWKWARD)
    assert all(len(subject_uid(name)) == 8 and any(subject_uid(name)) for name in AWKWARD)


@pytest.mark.parametrize("name", ["", "x" * 513, "\ud800"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        subject_uid(name)


@pytest.mark.parametrize("uid", [b"", bytes(8), b"1234567", b"123456789"])
def test_a_number_has_8_bytes_that_are_not_all_0(uid: bytes) -> None:
    with pytest.raises(MalformedError):
        check_uid(uid)


def test_a_number_is_shown_as_its_name_where_it_has_one() -> None:
    assert show_uid(b"Speed\0\0\0") == "Speed"
    assert show_uid(b"\xff234567\x01") == "ff32333435363701"
