"""The experiments of the smart-building thesis, chapter 6, on the event bus."""
