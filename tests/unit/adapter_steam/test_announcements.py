from adapter_steam.announcements import Announcements
from eventservices.steam import around

NEAR, FAR = around(10.0), around(300.0)


def test_a_subject_is_withdrawn_with_its_last_announcement() -> None:
    announcements = Announcements()
    announcements.add("Speed", NEAR)
    announcements.add("Speed", FAR)
    assert announcements.remove("Speed", FAR) == NEAR
    assert announcements.remove("Speed", NEAR) is None


def test_the_latest_that_is_left_tells_the_area() -> None:
    announcements = Announcements()
    for area in (NEAR, FAR, NEAR):
        announcements.add("Speed", area)
    assert announcements.remove("Speed", NEAR) == FAR


def test_what_was_not_announced_can_be_withdrawn_without_harm() -> None:
    announcements = Announcements()
    assert announcements.remove("Speed", NEAR) is None
    announcements.add("Speed", NEAR)
    assert announcements.remove("Speed", FAR) == NEAR
    announcements.clear()
    assert announcements.remove("Speed", NEAR) is None
