"""CAN logs: their formats, the signals in their frames, the speed among the signals."""
