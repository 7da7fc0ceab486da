"""What the adapters of plain, topic-based systems share: payloads, routes, settings."""
