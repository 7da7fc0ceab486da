"""The administrative properties of a channel."""

import pytest
from eventservices.cns import AdminProperty, ErrorCode, QoS
from eventservices.cns.qos.admin_holder import AdminProperties
from eventservices.cns.qos.errors import UnsupportedAdminError


def test_administrative_properties_have_their_defaults() -> None:
    assert AdminProperties().get() == {
        "MaxQueueLength": 0,
        "MaxConsumers": 0,
        "MaxSuppliers": 0,
        "RejectNewEvents": True,
    }


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"Colour": 1}, ErrorCode.BAD_PROPERTY),
        ({QoS.PRIORITY: 1}, ErrorCode.BAD_PROPERTY),
        ({AdminProperty.MAX_CONSUMERS: "3"}, ErrorCode.BAD_TYPE),
        ({AdminProperty.REJECT_NEW_EVENTS: 0}, ErrorCode.BAD_TYPE),
        ({AdminProperty.MAX_QUEUE_LENGTH: -1}, ErrorCode.BAD_VALUE),
    ],
)
def test_a_wrong_administrative_property_changes_nothing(
    wish: dict[str, object], code: ErrorCode
) -> None:
    held = AdminProperties()

    with pytest.raises(UnsupportedAdminError) as caught:
        held.set({"MaxSuppliers": 3, **wish})

    assert [error.code for error in caught.value.admin_err] == [code]
    assert held.max_suppliers == 0
