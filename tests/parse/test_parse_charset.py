"""Texts in other character sets than UTF-8 are recognised, read whole, and said."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Stamp, formats

TEXTS = {
    "de": "Die Größe der Überweisung hängt von der Währung ab. Bitte prüfen Sie die Einträge.\n",
    "fr": "La vérification des données a échoué : l’élève n’a pas été trouvé à l’étape précédente.\n",
    "es": "La configuración del año próximo será más rápida según la documentación técnica.\n",
    "pl": "Zażółć gęślą jaźń. Konfiguracja serwera wymaga uwierzytelnienia użytkownika w sieci.\n",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy. Nastavení serveru vyžaduje ověření uživatele.\n",
    "tr": "Sunucunun yapılandırması, ağa bağlanan kişinin kimliğinin doğrulanmasını gerektirir. Şaştık.\n",
    "ru": "Настройка сервера требует проверки подлинности пользователя, который подключается к сети.\n",
    "el": "Η ρύθμιση του διακομιστή απαιτεί έλεγχο ταυτότητας του χρήστη που συνδέεται στο δίκτυο.\n",
    "he": "הגדרת השרת דורשת אימות של המשתמש המתחבר לרשת.\n",
    "ar": "يتطلب إعداد الخادم مصادقة المستخدم الذي يتصل بالشبكة.\n",
    "ja": "サーバーの設定には、ネットワークに接続するユーザーの認証が必要です。詳細は説明書へ。\n",
    "zh": "服务器的配置需要对连接到网络的用户进行身份验证。详情请参阅手册。\n",
    "tw": "伺服器的設定需要對連接到網路的使用者進行身分驗證。詳情請參閱手冊。\n",
    "ko": "서버 설정에는 네트워크에 연결하는 사용자의 인증이 필요합니다. 설명서를 참조하십시오.\n",
    "en": "Words in “quotes” — and £5 for the café’s naïve résumé, among much plain English text.\n",
}
SAID = (
    *[(language, "cp1252", "Windows-1252") for language in ("de", "fr", "es", "en")],
    ("de", "latin_1", "Windows-1252"),
    ("de", "mac_roman", "Mac Roman"),
    ("de", "cp850", "CP850"),
    ("pl", "cp1250", "Windows-1250"),
    ("pl", "iso8859_2", "ISO-8859-2"),
    ("cs", "cp1250", "Windows-1250"),
    ("cs", "iso8859_2", "ISO-8859-2"),
    ("tr", "cp1254", "Windows-1254"),
    ("ru", "cp1251", "Windows-1251"),
    ("ru", "koi8_r", "KOI8-R"),
    ("ru", "cp866", "CP866"),
    ("el", "cp1253", "Windows-1253"),
    ("he", "cp1255", "Windows-1255"),
    ("ar", "cp1256", "Windows-1256"),
    ("ja", "cp932", "Shift-JIS"),
    ("ja", "euc_jp", "EUC-JP"),
    ("ja", "iso2022_jp", "ISO-2022-JP"),
    ("zh", "gb18030", "GB 18030"),
    ("tw", "big5", "Big5"),
    ("ko", "cp949", "EUC-KR"),
    *[(language, "utf-16", "UTF-16") for language in TEXTS],
    *[(language, "utf-32", "UTF-32") for language in ("de", "zh")],
    *[(language, codec, "UTF-16") for language in ("de", "ru", "ar") for codec in ("utf-16-le", "utf-16-be")],
)


def read(data: bytes, media: Media = formats.TEXT) -> Document:
    return parse(Raw(Stamp(Ref("docs", "guide/page"), "1-1", media), data, "digest"))


@pytest.mark.parametrize(("language", "codec", "name"), SAID)
@pytest.mark.parametrize("times", [1, 30])
def test_a_character_set_is_recognised_and_said(language: str, codec: str, name: str, times: int) -> None:
    document = read((TEXTS[language] * times).encode(codec))
    assert document.source.decode() == TEXTS[language] * times
    assert document.warnings == (
        f"The file is {name}; it was read as text and its positions are those of the UTF-8 form.",
    )


@pytest.mark.parametrize("language", TEXTS)
def test_utf8_stays_as_it_is_without_a_word(language: str) -> None:
    data = TEXTS[language].encode()
    assert (read(data).source, read(data).warnings) == (data, ())
    marked = read(b"\xef\xbb\xbf" + data)
    assert (marked.source, marked.body, marked.warnings) == (b"\xef\xbb\xbf" + data, 3, ())


@pytest.mark.parametrize(
    "head", ["-*- coding: koi8-r -*-\n", "# one\n# vim: set fileencoding=koi8-r :\n", '<?xml encoding="koi8-r"?>\n']
)
def test_what_a_text_says_of_itself_counts_first(head: str) -> None:
    said = f"{head}Да.\n"  # too little to tell anything by
    assert read(said.encode("koi8-r")).source.decode() == said


def test_a_wrong_or_strange_declaration_is_passed_over() -> None:
    for name in ("utf-8", "no-such-set", "rot13", "hex", "idna", "undefined"):
        document = read(f"-*- coding: {name} -*-\n{TEXTS['de']}".encode("cp1252"))
        assert TEXTS["de"] in document.source.decode()


def test_utf8_with_a_few_broken_bytes_stays_utf8() -> None:
    document = read(TEXTS["fr"].encode() * 3 + b"cut: \xc3\n")
    assert document.source.decode() == TEXTS["fr"] * 3 + "cut: \ufffd\n"
    assert document.warnings == ("Some bytes are not UTF-8; they were replaced by U+FFFD.",)


def test_a_single_letter_is_taken_as_western() -> None:
    assert read(b"caf\xe9\n====\n", formats.RST).title == "café"


@pytest.mark.parametrize("media", [formats.MARKDOWN, formats.RST, formats.ASCIIDOC, formats.ORG, formats.CELLS])
def test_every_format_of_text_is_read_in_any_character_set(media: Media) -> None:
    assert TEXTS["ja"].strip() in read(TEXTS["ja"].encode("cp932"), media).source.decode()


def test_a_folder_in_old_character_sets_is_searched_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "alt.md").write_bytes("# Währung\n\nDie Überweisung hängt von der Größe ab.\n".encode("cp1252"))
    (tmp_path / "neu.md").write_bytes("# 設定\n\nサーバーの設定には認証が必要です。\n".encode("cp932"))
    with pinakes.open(tmp_path) as library:
        report = library.sync()
        assert sorted(str(ref) for ref, said in report.warnings if "The file is" in said) == [
            "docs:alt.md",
            "docs:neu.md",
        ]
        assert str(library.search("Überweisung").hits[0].ref) == "docs:alt.md#währung"
        assert library.read("alt.md:3").text.strip() == "Die Überweisung hängt von der Größe ab."
        assert library.search("認証が必要").hits[0].ref.path == "neu.md"


@pytest.mark.parametrize("name", ["punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "idna"])
def test_what_is_no_character_set_is_not_believed(name: str) -> None:
    text = f"# -*- coding: {name} -*-\n\nA\\u0041+AEE-\0 {'b' * 300_000}-{'a' * 30_000}\n"
    document = parse(Raw(Stamp(Ref("docs", "a.md"), "", formats.MARKDOWN), text.encode(), "digest"))
    assert b"A\\u0041+AEE-" in document.source
