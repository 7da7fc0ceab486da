"""The service of event domains: it keeps them, moves their events, and serves them by REST."""
