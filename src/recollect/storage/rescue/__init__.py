"""Reads what is left of a damaged SQLite file, without SQLite, and writes it into a new store.

SQLite gives up on a tree at its first bad page. Here the pages of the file are read one by one, so
that what stands behind a bad page is found too. The damaged file is only ever read, as bytes.
"""
