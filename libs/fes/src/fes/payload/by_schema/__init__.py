"""Payloads by a schema file: Avro and Protobuf."""
