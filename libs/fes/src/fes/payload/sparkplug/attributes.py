"""Attributes of events that Sparkplug messages are."""

from typing import Final

SEQ: Final = "SparkplugSeq"
"""Attribute, long: the sequence number of a message."""

HISTORICAL: Final = "Historical"
"""Attribute, boolean: a metric of the event is of an earlier time, and is not the present value."""

TYPES: Final = "MetricTypes"
"""Attribute, string: JSON object of metrics to data types that do not follow from values."""

OWN: Final = (SEQ, HISTORICAL, TYPES)
"""Attributes that a payload has a place for."""
