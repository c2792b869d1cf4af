"""Measuring Clew: on benchmark sets with human gold labels, and for speed.

``datasets`` reads the sets, ``baselines`` and ``systems`` rank or extract, ``measures`` scores, ``runner`` does it all
and ``console`` is ``clew eval``. ``loading`` and the modules called after it are the suite of that name. ``speed`` is
``make bench``. Importing this package loads nothing heavy.
"""
