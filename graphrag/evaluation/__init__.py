"""Measuring Clew: on benchmark sets with human gold labels, and for speed.

``datasets`` reads the sets, ``baselines`` and ``systems`` rank or extract, ``measures`` scores, ``runner`` does it all
and ``console`` is ``clew eval``. ``speed`` is ``make bench``. Importing this package loads nothing heavy.
"""
