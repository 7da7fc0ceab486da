"""From the event service to the gateway."""
