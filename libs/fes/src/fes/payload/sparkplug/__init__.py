"""Sparkplug B: metrics of edge nodes and their devices, over MQTT."""
