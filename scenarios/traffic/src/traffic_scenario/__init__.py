"""The traffic scenario: plans a run, runs it and has it judged."""
