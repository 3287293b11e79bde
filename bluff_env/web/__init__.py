"""The table in the browser: a server over the engine, and the page that it serves.

``app.py`` has the addresses, ``tables.py`` the tables that are open, ``live.py`` a table and its game, ``guests.py``
who is connected to it, ``sight.py`` what each of them sees, ``review.py`` a finished game, ``choices.py`` what can be
played, ``guard.py`` who may ask, ``serve.py`` the program. The page lies in ``page/``.
"""
