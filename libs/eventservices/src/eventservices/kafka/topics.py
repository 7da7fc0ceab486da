"""Queries about topics; they block, so a thread makes them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from eventservices.errors import EventServiceError, RefusedError
from eventservices.kafka.interests import Found
from eventservices.kafka.producer import OPEN_S
from eventservices.kafka.record import as_native

_ABSENT: Final = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC)


def find_topics(admin: AdminClient, topics: Sequence[str]) -> Found:
    """Return which topics there are, and which may not be read.

    Args:
        admin: Sends the queries.
        topics: Names, and regular expressions that begin with ^.

    Raises:
        NotConnectedError: No broker answers in time.
    """
    try:
        names = admin.list_topics(timeout=OPEN_S).topics.keys()
    except KafkaException as error:
        raise as_native(error.args[0]) from error
    wild = [re.compile(each) for each in topics if each.startswith("^")]
    literal = {each for each in topics if not each.startswith("^")}
    found = {name for name in names if name in literal or any(w.match(name) for w in wild)}
    return Found(frozenset(found), dict(_refused(admin, sorted(literal - found))))


def _refused(admin: AdminClient, absent: list[str]) -> Iterator[tuple[str, EventServiceError]]:
    """Yield which topics are not listed for another reason than that they do not exist."""
    if not absent:
        return
    answers = admin.describe_topics(TopicCollection(absent), request_timeout=OPEN_S)
    for name, answer in answers.items():
        try:
            answer.result(2 * OPEN_S)
        except TimeoutError:
            continue
        except KafkaException as error:
            found = as_native(error.args[0])
            if isinstance(found, RefusedError) and error.args[0].code() not in _ABSENT:
                yield name, RefusedError(f"{name[:100]}: {found}")
