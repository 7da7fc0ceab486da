"""The MessagePack form of what goes on the air.

A notification is one array whose first element is its stamp. Control messages (announcements and
memberships) are arrays too, on topics of their own.
"""

from typing import TypeVar

import msgspec

from eventservices.errors import MalformedError
from eventservices.stamp import check
from eventservices.steam.beacon import Announcement, Membership
from eventservices.steam.content import ContentFilter
from eventservices.steam.event import Notification, check_values
from eventservices.steam.geometry import check_position
from eventservices.steam.proximity import check_proximity

_T = TypeVar("_T")
_encoder = msgspec.msgpack.Encoder()
_notifications = msgspec.msgpack.Decoder(Notification)
_announcements = msgspec.msgpack.Decoder(Announcement)
_memberships = msgspec.msgpack.Decoder(Membership)


def encode(message: Notification | Announcement | Membership) -> bytes:
    """Return the bytes of a notification, announcement or membership.

    Raises:
        MalformedError: A text in it is not Unicode text.
    """
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError as error:
        raise MalformedError(f"not Unicode text: {error}") from error


def decode_notification(payload: bytes) -> Notification:
    """Return the notification that a payload contains.

    Raises:
        MalformedError: It has none; the message states what is wrong.
    """
    notification = _decode(_notifications, payload)
    check(notification.stamp)
    check_values(notification.parameters, "parameter")
    check_values(notification.attributes, "attribute")
    check_proximity(notification.proximity)
    check_position(notification.position)
    return notification


def decode_announcement(payload: bytes) -> Announcement:
    """Return the announcement that a payload contains.

    Raises:
        MalformedError: It has none; the message states what is wrong.
    """
    announcement = _decode(_announcements, payload)
    check_proximity(announcement.proximity)
    check_position(announcement.position)
    return announcement


def decode_membership(payload: bytes) -> Membership:
    """Return the membership that a payload contains.

    Raises:
        MalformedError: It has none; the message states what is wrong.
    """
    membership = _decode(_memberships, payload)
    check_position(membership.position)
    ContentFilter(membership.content)
    return membership


def _decode(decoder: "msgspec.msgpack.Decoder[_T]", payload: bytes) -> _T:
    try:
        return decoder.decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"payload is not well formed: {error}") from error
