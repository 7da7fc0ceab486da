"""The REST interface of traffic-control."""
