"""A walk through a smart building: doors, mail that follows its owner, visitors who are watched.

Source:
    Smart-building thesis (Trinity College Dublin, 1999), chapters 3 and 4.
"""
