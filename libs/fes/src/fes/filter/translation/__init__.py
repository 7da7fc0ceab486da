"""From filters to what an event service can apply itself."""
