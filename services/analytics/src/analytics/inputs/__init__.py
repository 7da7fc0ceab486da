"""What the judge reads: the files of a run."""
