"""What is reported of a run: verdict, table, page, chart."""
