"""Messages of JMS as STOMP carries them, and selectors; the connection is `eventservices.stomp`.

Source:
    JMS 1.1, section 3; ActiveMQ 5.17, STOMP.
"""
