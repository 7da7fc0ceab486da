"""A client of STOMP 1.2, for brokers of JMS: `stomp.py`, whose threads stay in `client`."""
