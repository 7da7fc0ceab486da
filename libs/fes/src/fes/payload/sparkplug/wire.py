"""Messages of Sparkplug B in Protobuf: which fields they have, and under which numbers.

Properties and metadata are left as octets: they have no place in an event.

Source:
    Eclipse Sparkplug 3.0.0, chapter 6 (payloads): field names, numbers and types.
"""

from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Kind
from google.protobuf.message import DecodeError

from fes.errors import CodecError

_PACKAGE: Final = "fes.sparkplug"
_TYPES: Final = {
    "uint32": Kind.TYPE_UINT32,
    "uint64": Kind.TYPE_UINT64,
    "float": Kind.TYPE_FLOAT,
    "double": Kind.TYPE_DOUBLE,
    "bool": Kind.TYPE_BOOL,
    "string": Kind.TYPE_STRING,
    "bytes": Kind.TYPE_BYTES,
}
_MESSAGES: Final = {
    "Payload": "timestamp=1:uint64 metrics=2*:Metric seq=3:uint64 uuid=4:string body=5:bytes",
    "Metric": "name=1:string alias=2:uint64 timestamp=3:uint64 datatype=4:uint32"
    " is_historical=5:bool is_transient=6:bool is_null=7:bool metadata=8:bytes properties=9:bytes"
    " int_value=10:uint32 long_value=11:uint64 float_value=12:float double_value=13:double"
    " boolean_value=14:bool string_value=15:string bytes_value=16:bytes dataset_value=17:DataSet"
    " template_value=18:Template",
    "DataSet": "num_of_columns=1:uint64 columns=2*:string types=3*:uint32 rows=4*:Row",
    "Row": "elements=1*:Cell",
    "Cell": "int_value=1:uint32 long_value=2:uint64 float_value=3:float double_value=4:double"
    " boolean_value=5:bool string_value=6:string",
    "Template": "version=1:string metrics=2*:Metric parameters=3*:bytes template_ref=4:string"
    " is_definition=5:bool",
}


def _field(text: str) -> Kind:
    name, _, rest = text.partition("=")
    number, _, type_ = rest.partition(":")
    label = Kind.LABEL_REPEATED if number.endswith("*") else Kind.LABEL_OPTIONAL
    made = Kind(name=name, number=int(number.rstrip("*")), label=label)
    if type_ in _TYPES:
        made.type = _TYPES[type_]
    else:
        made.type, made.type_name = Kind.TYPE_MESSAGE, f".{_PACKAGE}.{type_}"
    return made


def _payload_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="fes/sparkplug.proto",
        package=_PACKAGE,
        message_type=[
            descriptor_pb2.DescriptorProto(name=name, field=map(_field, fields.split()))
            for name, fields in _MESSAGES.items()
        ],
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Payload"))


PAYLOAD: Final = _payload_class()


def parse(payload: bytes) -> Any:
    """Return the message of a payload.

    Raises:
        CodecError: It is none.
    """
    made = PAYLOAD()
    try:
        made.ParseFromString(payload)
    except DecodeError as error:
        raise CodecError(f"not a Sparkplug payload: {error}") from error
    return made
