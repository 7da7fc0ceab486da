"""Two stock markets, structured by scopes.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, figures 3 and 7, table 1.
"""
