"""Recovers data from a damaged SQLite file, without SQLite, and writes it into a new store.

SQLite gives up on a b-tree at its first bad page. Here the pages of the file are read one by one,
so that rows behind a bad page are found too. The damaged file is only ever read, as bytes.
"""
