"""Native client APIs of the emulated event services.

Each package is on its own broker and knows nothing of any federation:
`cns` (CORBA Notification Service on NATS), `siena` (SIENA on NATS servers in a cluster) and
`steam` (STEAM on MQTT). What they share is here: stamps, suppression of repeated events, and
servers to run them on.
"""
