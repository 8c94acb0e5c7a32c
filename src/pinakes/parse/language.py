"""The natural language of a document, as a code of two letters such as ``de``; empty where nothing tells.

What the frontmatter says counts first, then a folder or an ending (``docs/de/``, ``page.fr.md``), then the text: its
script, or, for Latin letters, the small words that every language has of its own. A few kilobytes are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_SMALL_WORDS = {
    "en": "the of and to in is that it for you are with this be on as can if not from by or an your when which have",
    "de": "der die das und ist nicht ein eine einen mit auf für werden wird sie den dem des von zu im oder auch kann",
    "fr": "le la les des est une un pour dans que qui vous avec sur par pas ce cette sont ou être votre du et aux",
    "es": "el la los las que una un para con por del es se como su más esta este son puede si al y está en",
    "pt": "o a os as que uma um para com por do da não é se como mais são você no na ou em seu pode dos das",
    "it": "il lo la gli che una un per con di è non sono del della nel alla come più questo questa si da dei delle",
    "nl": "de het een van en is dat niet op te met voor zijn er aan ook als bij naar worden wordt deze kan je",
    "sv": "och att det som en är på för med av inte den till ett om har kan du från eller ska när",
    "no": "og i det som en er på for med av ikke den til et om har kan du fra eller skal når å",
    "da": "og at det som en er på for med af ikke den til et om har kan du fra eller skal når der",
    "fi": "ja on ei se että ovat tai voi joka mutta kun tämä sen kuin myös voit niin ole jos",
    "hu": "a az és hogy nem egy van meg is ez csak de ha vagy mint el kell amely minden még",
    "ro": "și de la în cu nu este pentru care un o pe din se sau mai sunt să prin ale lui ca",
    "tr": "ve bir bu için ile da de olarak daha olan gibi çok değil veya ise kadar sonra her var",
    "pl": "i w na z do że się nie jest to jak o po dla od przez lub oraz przy są być można tym",
    "cs": "a v na se je že to z do pro jako s k nebo o po jsou by ale při které být může od",
    "id": "yang dan di untuk dengan ini dari tidak pada adalah akan dalam atau anda dapat ke itu sebagai jika",
    "vi": "và của là các một cho không có được trong với những này để khi bạn từ đã trên hoặc",
}
_WORDS_OF: Mapping[str, frozenset[str]] = {code: frozenset(words.split()) for code, words in _SMALL_WORDS.items()}
_QUESTION_WORDS = {
    "en": "how what why who whose do does did i me my we our us was were has have had could should would will any no"
    " so than then into at by about without does use get make need want new between while",
    "de": "wie was warum wieso wo woher wann wer welche welcher welches ich man kann muss mein meine um aus beim",
    "fr": "comment pourquoi quand où quel quelle quels quelles combien je peux peut mon ma mes il faut quoi vers sans",
    "es": "cómo como qué por cuándo cuál cuáles dónde cuánto quién puedo puede mi mis hay hacer",
    "pt": "como porque quando qual quais onde quanto quem posso meu minha fazer há",
    "it": "come perché quando quale quali dove quanto chi posso mio mia fare cosa",
    "nl": "hoe waarom wanneer waar welke wie wat ik mijn moet kunnen",
    "sv": "hur varför när var vilken vilka vem vad jag min mitt måste",
    "no": "hvordan hvorfor når hvor hvilken hvilke hvem hva jeg min mitt må",
    "da": "hvordan hvorfor hvornår hvor hvilken hvilke hvem hvad jeg min mit må",
    "fi": "miten miksi milloin missä mikä mitkä kuka mitä minun voin",
    "hu": "hogyan miért mikor hol melyik ki mit lehet tudom",
    "ro": "cum când unde care cine ce pot meu mea trebuie",
    "tr": "nasıl neden niçin nerede hangi kim ne zaman benim",
    "pl": "jak dlaczego kiedy gdzie który która które kto co mogę mój moja",
    "cs": "proč kdy kde který která které kdo co mohu můj moje",
    "id": "bagaimana mengapa kapan mana siapa apa saya bisa",
    "vi": "làm thế nào tại sao khi nào đâu ai gì tôi",
}
"""With the small words, what questions in a language are known by."""
_ASKED_OF = {code: known.union(_QUESTION_WORDS.get(code, "").split()) for code, known in _WORDS_OF.items()}
_ASKED_WITH = 2
"""Different words that show the language of a question."""
LANGUAGE_NAMES = {
    **{"ar": "Arabic", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English"},
    **{"es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi"},
    **{"hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean"},
    **{"nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian"},
    **{"sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese"},
    "zh": "Chinese",
}
"""Of all languages that a text can be told to be written in."""
_ENGLISH = _WORDS_OF["en"]
_ENOUGH = 5
"""Different small words that show a language by themselves."""
_FEW = 3
_FIRST, _MORE = 500, 4_000
"""Characters that are looked at; more where the first do not tell."""

_SCRIPTS = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("uk", re.compile("[іїєґ]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("fa", re.compile("[پچژگ]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("hy", re.compile("[\u0530-\u058f]")),
)
"""A few letters of one of them are enough: a text in Latin letters has none. The first that fits counts."""
_SIGNS = ".,;:!?¿¡()[]\"'«»„“”"
_SOME_LETTERS = 12
_RARE_SIGNS = {"uk": 5, "fa": 3, "ja": 5}
"""Signs by which a language is told from others of its script: fewer are enough."""

CODES = frozenset(
    (
        *_SMALL_WORDS,
        *(code for code, _ in _SCRIPTS),
        *("bg", "ca", "et", "eu", "ga", "hr", "lt", "lv", "ne", "sk", "sl", "sr", "ur"),
    )
)
"""Codes that a folder, a file's ending or the frontmatter may say."""
_NAMES = {
    **{"english": "en", "german": "de", "deutsch": "de", "french": "fr", "spanish": "es", "chinese": "zh", "cn": "zh"},
    **{"russian": "ru", "japanese": "ja", "jp": "ja", "korean": "ko", "kr": "ko", "portuguese": "pt", "italian": "it"},
    **{"nb": "no", "nn": "no", "ua": "uk"},
}
_CERTAIN = frozenset(
    ("ar", "bg", "bn", "de", "en", "es", "fi", "fr", "ja", "ko", "nl", "pt", "ru", "sv", "tr", "uk", "zh")
)
"""Codes that a folder is hardly called for other reasons; of other codes the text must not say otherwise."""
_CODE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z]{2,4})?\Z")


def language_of(stated: str, path: str, body: str) -> str:
    """The language of a document by its frontmatter, its path and its text."""
    code = code_of(stated)
    if code:
        return code
    code = _by_path(path)
    if code in _CERTAIN:
        return code
    told = language_of_text(body)
    return code if code and told in ("", code) else told


def code_of(name: str) -> str:
    """The code of two letters that a name of a language means: ``de`` for ``de-DE`` and ``German``; empty for none."""
    lowered = name.strip().lower()
    found = _CODE.match(lowered)
    code = _NAMES.get(lowered) or (found[1] if found else "")
    code = _NAMES.get(code, code)
    return code if code in CODES else ""


def _by_path(path: str) -> str:
    folder, _, name = path.rpartition("/")
    code = _by_folder(folder)
    return _written_code(name.split(".")[-2]) if not code and name.count(".") > 1 else code


def untranslated(path: str) -> str:
    """A path without what tells a language: translations of a page have it in common."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    main, _, code = stem.rpartition(".")
    name = f"{main}{dot}{ending}" if main and _written_code(code) else name
    return "/".join([*(folder for folder in folders if not _written_code(folder)), name])


@lru_cache(maxsize=4096)
def _by_folder(path: str) -> str:
    return next(filter(None, map(_written_code, path.split("/"))), "")


def _written_code(name: str) -> str:
    return code_of(name) if _CODE.match(name) else ""


def language_of_text(body: str) -> str:
    """The language that a text is written in; empty where it is too short or of none that is known here."""
    if len(_ENGLISH.intersection(body[:_FIRST].split())) >= _ENOUGH:
        return "en"
    beginning = body[:_MORE]
    if not beginning.isascii():
        for code, letters in _SCRIPTS:
            if len(letters.findall(beginning)) >= _RARE_SIGNS.get(code, _SOME_LETTERS):
                return code
    words = set(beginning.lower().split())
    counts = sorted(((len(known & words), code) for code, known in _WORDS_OF.items()), reverse=True)
    (most, best), (second, _) = counts[:2]
    return best if most >= _FEW and most > second else ""


def language_of_question(text: str) -> str:
    """The language that a question of a few words is written in; empty where they do not tell."""
    words = _asked(text)
    if not text.isascii() and len(words & _ASKED_OF["en"]) < _ASKED_WITH:
        for code, letters in _SCRIPTS:
            if re.search(letters.pattern + ("" if code in _RARE_SIGNS else "{2}"), text):  # one alone is a formula's
                return code
    own = {word for word in words - _ASKED_OF["en"] if len(word) > 1}  # “do” and “a” are words of several languages
    counts = sorted(
        ((len(known & (words if code == "en" else own)), code) for code, known in _ASKED_OF.items()), reverse=True
    )
    (most, best), (second, _) = counts[:2]
    return best if most >= _ASKED_WITH and most > second else ""


def small_words(text: str, language: str) -> frozenset[str]:
    """The words of a question that say nothing but its language."""
    return _ASKED_OF.get(language, frozenset()) & _asked(text)


def _asked(text: str) -> frozenset[str]:
    return frozenset(word.strip(_SIGNS) for word in text.lower().split())
