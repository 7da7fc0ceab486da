"""The gateways' REST interface."""
