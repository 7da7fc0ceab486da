"""Translation of filters into what an event service can apply itself."""
