"""A client of Kafka: `confluent-kafka`, whose threads stay in `producer` and `consumer`."""
