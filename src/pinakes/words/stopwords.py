"""English words that say nothing about what a question asks for.

They are kept in the index, where phrases need them; only questions drop them, and only when other words remain.
"""

from __future__ import annotations

_ENGLISH = """
a about am an and any are as at be been but by can can't could did do does doesn't doing don't for from had has have how
i i'm i've if in into is isn't it it's its me my no not of on or our should so some such than that that's the their them
then there these they this to too us was we were what what's when where which while who why will with without won't
would you your
"""

STOPWORDS = frozenset(_ENGLISH.split())
