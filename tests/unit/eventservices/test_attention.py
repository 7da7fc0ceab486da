from eventservices.attention import Attention


def test_who_listened_all_the_time_may_judge_the_others() -> None:
    attention = Attention(1.0)
    assert [attention.hears(float(second), ready=True) for second in range(4)] == [
        False,
        True,
        True,
        True,
    ]


def test_who_was_away_must_listen_for_a_whole_period_first() -> None:
    attention = Attention(1.0)
    answers = [attention.hears(float(s), ready=s not in (2, 3)) for s in range(6)]
    assert answers == [False, True, False, False, False, True]


def test_a_process_that_was_halted_must_read_first_what_has_come() -> None:
    attention = Attention(1.0)
    answers = [attention.hears(now_s, ready=True) for now_s in (0.0, 1.0, 9.0, 10.0)]
    assert answers == [False, True, False, True]
