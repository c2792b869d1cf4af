"""Chunkers by kind of text: tables by rows, code by definition, dialogue by turns, slides and mail by their parts."""
