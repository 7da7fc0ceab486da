"""Promises about scopes: what a federation's file declares, judged by the logs of a run."""
