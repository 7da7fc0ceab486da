import math
import struct

import cantools
import pytest
from can_sim.canlog.speed import SpeedSignal, find_signal
from can_sim.errors import InputError
from cantools.database import Database

DBC = """VERSION ""
BS_:
BU_: N

BO_ 100 Wheels: 8 N
 SG_ WheelSpeedFL : 0|14@1+ (0.03125,0) [0|511.96875] "km/h" N
 SG_ WheelSpeedFR : 16|14@1+ (0.03125,0) [0|511.96875] "km/h" N

BO_ 101 Motion: 6 N
 SG_ VehicleSpeed : 16|12@1+ (0.05,-25) [-25|179.75] "MPH" N
 SG_ SpeedLimit : 0|8@1+ (1,0) [0|255] "kph" N

BO_ 102 Cruise: 8 N
 SG_ SetSpeed : 0|8@1+ (1,0) [0|255] "km/h" N

BO_ 103 Groups: 8 N
 SG_ Which M : 0|8@1+ (1,0) [0|0] "" N
 SG_ Rate m1 : 8|8@1+ (1,0) [0|200] "m/s" N

BO_ 104 Real: 4 N
 SG_ Ground : 0|32@1- (1,0) [0|0] "km/h" N

BO_ 2147495993 Speed: 8 N
 SG_ SpeedKmh : 56|8@1+ (1,0) [0|255] "km/h" N

SIG_VALTYPE_ 104 Ground : 1;
"""


def found(wanted: str = "", ids: set[tuple[int, bool]] | None = None) -> SpeedSignal:
    database = cantools.database.load_string(DBC, "dbc")
    assert isinstance(database, Database)
    return find_signal(database, "made.dbc", wanted, ids)


def test_the_vehicles_speed_is_preferred_to_limits_wheels_and_set_speeds() -> None:
    assert found().name == "Motion.VehicleSpeed"


def test_only_frames_that_the_log_holds_are_considered() -> None:
    assert found(ids={(100, False), (102, False)}).name == "Wheels.WheelSpeedFL"


def test_a_signal_can_be_named() -> None:
    assert found("SetSpeed").name == "Cruise.SetSpeed"
    assert found("Wheels.WheelSpeedFR").name == "Wheels.WheelSpeedFR"


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no signal Nothing"):
        found("Nothing")


def test_a_log_without_the_frame_is_refused() -> None:
    with pytest.raises(InputError, match=r"holds no frame of Motion\.VehicleSpeed"):
        found("VehicleSpeed", {(100, False)})


def test_miles_become_kilometres() -> None:
    data = ((1025) << 16).to_bytes(6, "little")  # 1025 * 0.05 - 25 = 26.25 mph
    speed, reason = found().speed_kmh(data)
    assert speed == pytest.approx(26.25 * 1.609344)
    assert reason == ""


def test_all_bits_set_means_not_available_even_within_the_range() -> None:
    assert found().speed_kmh((4095 << 16).to_bytes(6, "little")) == (None, "not_available")


def test_a_value_out_of_its_range_is_not_available() -> None:
    assert found("Rate").speed_kmh(bytes((1, 201, 0, 0))) == (None, "not_available")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e30])
def test_a_real_number_that_is_no_speed_is_not_available(value: float) -> None:
    assert found("Ground").speed_kmh(struct.pack("<f", 50.5)) == (50.5, "")
    assert found("Ground").speed_kmh(struct.pack("<f", value)) == (None, "not_available")


def test_255_in_the_speed_frame_is_a_speed() -> None:
    assert found("SpeedKmh").speed_kmh(b"TEST001\xff") == (255.0, "")


def test_a_short_frame_is_told_d04() -> None:
    assert found().speed_kmh(b"\x00\x00\x01") == (None, "short_frame")


def test_an_unknown_selector_is_counted_by_identifier_d06() -> None:
    assert found("Rate").speed_kmh(bytes((13, 1, 0, 0, 0, 0, 0, 0))) == (None, "undecoded_0x67")
