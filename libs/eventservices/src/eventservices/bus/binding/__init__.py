"""The bus over NATS: its broker, its store, its workers, and the services that it queries."""
