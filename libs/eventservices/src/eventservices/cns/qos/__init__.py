"""Quality of service and administrative properties: what there is, and what can be had.

`properties` is the table, `validate` judges requested properties by it, `holder` and `admin_holder`
are the operations of channels, admins and proxies, `terms` is what a proxy makes of it all.
"""

from eventservices.cns.qos.errors import (
    ErrorCode,
    PropertiesError,
    PropertyError,
    PropertyRange,
    UnsupportedAdminError,
    UnsupportedQoSError,
)
from eventservices.cns.qos.kinds import Long, PropertyValue
from eventservices.cns.qos.properties import (
    AdminProperty,
    DiscardPolicy,
    Level,
    OrderPolicy,
    QoS,
    Reliability,
)
from eventservices.cns.qos.times import time_t, utc_t

__all__ = [
    "AdminProperty",
    "DiscardPolicy",
    "ErrorCode",
    "Level",
    "Long",
    "OrderPolicy",
    "PropertiesError",
    "PropertyError",
    "PropertyRange",
    "PropertyValue",
    "QoS",
    "Reliability",
    "UnsupportedAdminError",
    "UnsupportedQoSError",
    "time_t",
    "utc_t",
]
