"""The telecom log service: logs of events, and domains that have logs as members.

Source:
    OMG Telecom Log Service 1.1.2, `DsLogAdmin`, `DsLogNotification`, `DsNotifyLogAdmin`.
"""
