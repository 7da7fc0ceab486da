from pathlib import Path

import pytest
from can_sim.canlog.dbc import load
from can_sim.canlog.speed import find_signal
from can_sim.errors import InputError
from can_sim.tally import Tally

HEAD = 'VERSION ""\n\nNS_ :\n\nBS_:\n\nBU_: N\n\n'
WARMTH = 'BO_ 291 Warmth: 8 N\n SG_ T : 0|8@1+ (1,-40) [-40|215] "\xb0C" N\n\n'
SPEED = 'BO_ 292 Motion: 8 N\n SG_ VehicleSpeed : 0|12@1+ (0.1,0) [0|300] "km/h" N\n\n'


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "made.dbc"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_the_degree_sign_is_read_in_both_encodings_d05(tmp_path: Path, encoding: str) -> None:
    database = load(written(tmp_path, HEAD + WARMTH, encoding), Tally(strict=True))
    assert database.get_message_by_name("Warmth").signals[0].unit == "°C"


def test_a_bad_message_is_left_out_with_its_line(tmp_path: Path) -> None:
    bad = 'BO_ 300 Bad: 8 N\n SG_ 1st : 0|8@1+ (1,0) [0|1] "" N\n\n'
    tally = Tally()
    path = written(tmp_path, HEAD + bad + SPEED)
    assert [message.name for message in load(path, tally).messages] == ["Motion"]
    assert tally.skipped["dbc_bad_part"] == 1
    assert f"{path}:9: " in tally.notes[0]


def test_values_of_an_absent_message_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + SPEED + 'VAL_ 77 Gone 0 "no" 1 "yes" ;\n')
    tally = Tally()
    assert load(path, tally).get_message_by_name("Motion").frame_id == 292
    assert tally.skipped["dbc_bad_part"] == 1


def test_a_comment_without_its_kind_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + SPEED + 'CM_ 292 "some words";\n')
    assert load(path, Tally()).get_message_by_name("Motion").frame_id == 292


def test_overlapping_signals_are_noted_and_read(tmp_path: Path) -> None:
    other = ' SG_ Other : 4|8@1+ (1,0) [0|0] "" N\n\n'
    tally = Tally()
    database = load(written(tmp_path, HEAD + SPEED.rstrip("\n") + "\n" + other), tally)
    assert len(database.get_message_by_name("Motion").signals) == 2
    assert "overlapping" in tally.notes[0]


def test_a_missing_section_is_added(tmp_path: Path) -> None:
    path = written(tmp_path, 'VERSION ""\n\nNS_ :\n\n' + SPEED.replace(" N\n", " Vector__XXX\n"))
    assert load(path, Tally()).get_message_by_name("Motion").frame_id == 292


def test_a_strict_tally_refuses_a_bad_part(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + SPEED + 'VAL_ 77 Gone 0 "no" 1 "yes" ;\n')
    with pytest.raises(InputError, match=r"made\.dbc:12: "):
        load(path, Tally(strict=True))


def test_what_is_no_dbc_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"made\.dbc"):
        load(written(tmp_path, "hello\n" * 200), Tally())


def test_the_mended_file_still_tells_the_speed(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + WARMTH + SPEED, "cp1252")
    assert find_signal(load(path, Tally()), str(path)).name == "Motion.VehicleSpeed"
