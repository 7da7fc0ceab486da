"""The scenario of the paper on MEDIator: six channels, pull connections, a diamond, a cycle."""
