"""From the gateway to the event service."""
