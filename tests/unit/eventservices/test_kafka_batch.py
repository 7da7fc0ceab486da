"""What a broker delivers is passed on at once, and together with what came beside it."""

from typing import Any

from eventservices.kafka.batch import next_batch


class Client:
    """A native client that notes how long it was waited for in vain."""

    def __init__(self, *messages: str) -> None:
        self.left = list(messages)
        self.waited_s = 0.0

    def poll(self, timeout: float) -> str | None:
        if self.left:
            return self.left.pop(0)
        self.waited_s += timeout
        return None

    def consume(self, num_messages: int, timeout: float) -> list[str]:
        found, self.left = self.left[:num_messages], self.left[num_messages:]
        self.waited_s += timeout if len(found) < num_messages else 0.0
        return found


def batch(client: Any) -> list[Any]:
    return next_batch(client, 3, 0.5)


def test_nobody_waits_for_a_batch_to_be_full() -> None:
    client = Client("a", "b")
    assert batch(client) == ["a", "b"]
    assert client.waited_s == 0.0


def test_a_batch_has_a_bound_and_the_next_one_has_the_others() -> None:
    client = Client("a", "b", "c", "d")
    assert [batch(client), batch(client)] == [["a", "b", "c"], ["d"]]


def test_where_nothing_comes_there_is_one_wait() -> None:
    client = Client()
    assert batch(client) == []
    assert client.waited_s == 0.5
