import pytest
from eventservices.errors import MalformedError
from eventservices.stamp import MAX_NAME, MAX_VIA, Stamp, Stamper, check, pack, unpack

HOME = "cns-v"


@pytest.mark.parametrize(
    "stamp",
    [
        Stamp("car", 0, 1, 0, "h"),
        Stamp("g.a/b", 2**63 - 1, 2**63 - 1, -(2**63) + 1, "ä;,% #", ("x,y", "%2C", "🚗")),
        Stamp("%41", 1, 2, 3, "a b", tuple("abcdefgh")),
    ],
)
def test_a_stamp_comes_back_as_it_was(stamp: Stamp) -> None:
    packed = pack(stamp)
    assert packed.isascii()
    assert packed.isprintable()
    assert unpack(packed) == stamp


@pytest.mark.parametrize(
    "stamp",
    [
        Stamp("", 1, 1, 1, HOME),
        Stamp("o", 1, 1, 1, ""),
        Stamp("o", 1, 1, 1, HOME, ("a", "")),
        Stamp("o", -1, 1, 1, HOME),
        Stamp("o", 1, 0, 1, HOME),
        Stamp("o", 1, 1, 2**63, HOME),
        Stamp("o", 1, 1, 1, HOME, ("a",) * (MAX_VIA + 1)),
        Stamp("o", 1, 1, 1, "h" * (MAX_NAME + 1)),
    ],
)
def test_a_stamp_out_of_range_is_refused(stamp: Stamp) -> None:
    with pytest.raises(MalformedError):
        check(stamp)


def test_a_name_that_is_no_unicode_text_is_refused() -> None:
    with pytest.raises(MalformedError):
        pack(Stamp("\ud800", 1, 1, 1, HOME))


@pytest.mark.parametrize(
    ("origin", "home", "epoch"),
    [
        ("", "h", 1),
        ("o", "", 1),
        ("o" * (MAX_NAME + 1), "h", 1),
        ("\ud800", "h", 1),
        ("o", "h", -1),
    ],
)
def test_a_publisher_whose_stamps_nobody_would_take_is_refused(
    origin: str, home: str, epoch: int
) -> None:
    with pytest.raises(MalformedError):
        Stamper(origin, home, epoch=epoch)


def test_a_time_that_nobody_would_take_is_refused_and_uses_no_number() -> None:
    stamper = Stamper("o", HOME, epoch=1)
    with pytest.raises(MalformedError):
        stamper.next(2**63)
    assert stamper.next(5) == Stamp("o", 1, 1, 5, HOME)
