"""Pure transforms, DataFrame to DataFrame: nothing here reads or writes."""
