from can_sim.names import identifiers, licences
from hypothesis import given
from hypothesis import strategies as st

names = st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=30)


def test_a_name_of_seven_printable_characters_is_its_own_licence() -> None:
    assert licences(["FES0001", "B-AB 12"]) == {"FES0001": "FES0001", "B-AB 12": "B-AB 12"}


def test_other_names_are_cut_or_filled() -> None:
    found = licences(["veh7", "a very long name 12", "42", "Bus", "日本"])
    assert found == {
        "veh7": "VEH0007",
        "a very long name 12": "AVERY12",
        "42": "0000042",
        "Bus": "BUS0000",
        "日本": "FES0001",
    }


def test_cut_names_do_not_collide() -> None:
    found = licences(["longname-a", "longname-b", "LONGNAM"])
    assert found["LONGNAM"] == "LONGNAM"
    assert len(set(found.values())) == 3


@given(names)
def test_licences_are_seven_printable_characters_and_unique(vehicles: list[str]) -> None:
    found = licences(vehicles)
    assert len(set(found.values())) == len(vehicles)
    for licence in found.values():
        assert len(licence) == 7
        assert licence.isascii()
        assert licence.isprintable()


@given(names)
def test_licences_do_not_depend_on_the_order(vehicles: list[str]) -> None:
    assert licences(vehicles) == licences(vehicles[::-1])


def test_an_identifier_stays_and_others_get_a_number() -> None:
    assert identifiers(["Main Road", "Main_Road", "é", "*"], "monitor") == {
        "Main Road": "Main_Road-2",
        "Main_Road": "Main_Road",
        "é": "monitor",
        "*": "monitor-2",
    }


@given(names)
def test_identifiers_are_safe_and_unique(wanted: list[str]) -> None:
    found = identifiers(wanted, "x")
    assert len(set(found.values())) == len(wanted)
    safe = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
    assert all(name and set(name) <= safe for name in found.values())
