"""The natural language of a document: by what it states, where it lies, and what it says."""

from __future__ import annotations

import pytest

from pinakes.parse import parse
from pinakes.parse.language import language_of_question
from pinakes.records import Raw, Ref, Stamp, media_of

ENGLISH = "This is how the server is set up, and it can be used for all of your pages."
GERMAN = "So wird der Server eingerichtet, und das ist nicht für alle Seiten von Bedeutung."


def language(text: str, path: str = "page.md") -> str:
    return parse(Raw(Stamp(Ref("docs", path), "1", media_of(path)), text.encode(), "digest")).metadata.language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("Le serveur est configuré pour que les pages soient faites avec des modèles.", "fr"),
        ("El servidor se configura para que las páginas sean del tipo que se pide.", "es"),
        ("O servidor é configurado para que as páginas não sejam do mesmo tipo, como você pode ver.", "pt"),
        ("如何限制请求速率，以及把流量暴露到集群外部", "zh"),
        ("次の手順でデータベースの接続を設定します。", "ja"),
        ("서버를 설정하는 방법을 설명합니다. 데이터베이스 연결", "ko"),
        ("Сервер настраивается так, чтобы страницы открывались быстро.", "ru"),
        ("من می‌خواهم برنامه را نصب کنم و پیکربندی آن را تغییر دهم گچ پژ", "fa"),
        ("kubectl get pods", ""),
        ("", ""),
    ],
)
def test_a_text_tells_its_language(text: str, code: str) -> None:
    assert language(f"# X\n\n{text}\n") == code
    assert language(f"{text}\n", "page.txt") == code


@pytest.mark.parametrize(
    ("text", "path", "code"),
    [
        (f"---\nlang: pt-BR\n---\n\n{ENGLISH}", "docs/de/page.md", "pt"),
        (f"---\nlanguage: German\n---\n\n{ENGLISH}", "page.md", "de"),
        (f"---\nlanguage: python\n---\n\n{ENGLISH}", "page.md", "en"),
        (ENGLISH, "content/zh-cn/docs/page.md", "zh"),
        (ENGLISH, "guide.fr.md", "fr"),
        (ENGLISH, "docs/it/page.md", "en"),
        (ENGLISH, "tools/id/no/page.md", "en"),
        ("kubectl get pods", "docs/it/page.md", "it"),
        (GERMAN, "docs/en/page.md", "en"),
    ],
)
def test_what_is_stated_counts_before_the_path_and_the_path_before_the_text(text: str, path: str, code: str) -> None:
    assert language(text, path) == code


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Wie leite ich HTTP auf HTTPS um?", "de"),
        ("¿Cómo reinicio un contenedor?", "es"),
        ("comment rediriger http vers https", "fr"),
        ("come faccio a riavviare un container", "it"),
        ("hoe start ik een container opnieuw", "nl"),
        ("как настроить прокси", "ru"),
        ("jwt bearer 登录", "zh"),
        ("T regulatory cells lacking αvβ8", ""),
        ("do i need sudo to run on port 80", "en"),
        ("how do I use die() in php", "en"),
        ("was man pages removed", ""),
        ("sticky sessions", ""),
    ],
)
def test_a_question_of_a_few_words_tells_its_language(question: str, code: str) -> None:
    assert language_of_question(question) == code
