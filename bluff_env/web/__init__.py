"""The table in the browser: a server over the engine, and the page that it serves.

``serve.py`` is the program, ``app.py`` has the addresses and ``guard.py`` says who may ask. ``tables.py`` has the open
tables, ``live.py`` a table and its game, ``guests.py`` who is connected to it, ``sight.py`` what each of them sees, and
``board.py`` what they are sent. ``choices.py`` has what can be played, ``review.py`` finished games, ``limits.py`` the
bounds of it all. The page lies in ``page/``.
"""
