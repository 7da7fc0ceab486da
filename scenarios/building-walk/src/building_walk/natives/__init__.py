"""The native clients of the story: they know event services, and nothing of a federation."""
