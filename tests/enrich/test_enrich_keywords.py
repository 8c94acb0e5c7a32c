"""What keywords promise, one promise a test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from kits.enrich import STATIC, found, parsed
from pinakes.enrich import KeywordOptions, Statistics, count, fingerprint, keywords
from pinakes.records import formats

OPTIONS = KeywordOptions()

METHODS = {
    "open": "The connection string names the host and the port of the database server to connect to.",
    "query": "The statement text may hold placeholders, and every placeholder needs a bound argument.",
    "stream": "The chunk size limits how many rows are buffered before the consumer sees them.",
    "backup": "The archive folder must be on a disk with enough free space for a full copy.",
    "restore": "The snapshot identifier selects which copy replaces the present contents.",
    "watch": "The callback is invoked on every notification, in the order of arrival.",
    "migrate": "The migration folder holds numbered scripts which run one after another.",
    "lock": "The timeout says how long to wait for another holder before giving up.",
    "close": "The grace period lets running transactions finish before they are rolled back.",
}


def test_nine_sections_of_the_same_name_are_told_apart() -> None:
    page = "# Client\n\n" + "".join(f"## {name}\n\n### Parameters\n\n{text}\n\n" for name, text in METHODS.items())
    document = parsed(page)
    (made,) = keywords([document], count([document]), STATIC, OPTIONS)
    parameters = [
        words for section, words in zip(document.sections, made, strict=True) if section.title == "Parameters"
    ]
    assert len(parameters) == 9
    assert all(parameters)
    assert len(set(parameters)) == 9
    everything = [word for words in parameters for word in words]
    assert len(set(everything)) == len(everything)


def test_a_keyword_says_more_than_its_heading() -> None:
    words = found(
        "# Guide\n\n## Token budget\n\nThe token budget limits a map. When the budget is spent, headings of low rank"
        " are folded into a summary line, and the summary line counts what was left out.\n"
    )["Token budget"]
    assert words
    assert not {"token", "budget", "token budget"} & {word.lower() for word in words}


def test_what_every_section_says_is_no_keyword_of_any() -> None:
    page = "# Handbook\n\n" + "".join(
        f"## {title}\n\nThe turbine controller {text}. Every turbine controller logs what it does.\n\n"
        for title, text in {
            "Start": "opens the inlet valve and waits for the pressure sensor to settle",
            "Run": "keeps rotor speed between two limits by trimming blade pitch",
            "Stop": "applies the disc brake and feathers all blades against wind",
            "Service": "unlocks the nacelle hatch for a crew with a maintenance badge",
        }.items()
    )
    for title, words in found(page).items():
        assert "turbine controller" not in words, title
        assert "turbine" not in words, title


def test_the_best_one_stays_even_when_nothing_tells_a_section_apart() -> None:
    same = "The turbine controller logs turbine data to the turbine controller journal.\n\n"
    page = "# Handbook\n\n" + "".join(f"## Part {number}\n\n{same}" for number in "ABCD")
    for title, words in found(page).items():
        assert len(words) == (1 if title.startswith("Part") else 0)


def test_phrases_stay_inside_their_clause() -> None:
    words = found(
        "# Notes\n\nWhen the scheduler stalls, workers drain; queues (priority lanes) empty: dashboards turn amber."
        " Operators then acknowledge alarms | escalate tickets.\n",
        replace(OPTIONS, top_n=50),
    )["Notes"]
    joined = {word for word in words if " " in word}
    assert joined
    assert not joined & {"stalls workers", "queues priority", "lanes empty", "empty dashboards", "alarms escalate"}


def test_phrases_do_not_reach_across_code() -> None:
    words = found(
        "# Cache\n\nThe eviction `lru_cache` policy drops stale entries,"
        " and the warmup `preload()` routine fills shards.\n\nReplicas vote.\n\n"
        "```python\nsecret_name = other_name\n```\n\nLeaders commit writes to the journal.\n",
        replace(OPTIONS, top_n=50),
    )["Cache"]
    text = " ".join(words)
    assert "eviction policy" not in words and "warmup routine" not in words
    assert "lru_cache" in words and "preload()" in words and "secret_name" not in text


def test_inline_code_is_used_where_nothing_else_is_left() -> None:
    words = found("# Page\n\n## Values\n\n- `connect_timeout`\n- `retry_backoff`\n- `keepalive_interval`\n")["Values"]
    assert set(words) <= {"connect_timeout", "retry_backoff", "keepalive_interval"}
    assert len(words) == 3


def test_code_blocks_are_used_where_nothing_else_is_left() -> None:
    words = found(
        "# Page\n\n## Example\n\n"
        "```js title=x\nconst frame = renderer.capture(canvas);\nuploadTexture(frame, canvas);\n```\n"
    )["Example"]
    assert words
    assert set(words) <= {"frame", "renderer.capture", "canvas", "uploadTexture"}


def test_identifiers_in_prose_stay_whole() -> None:
    words = found(
        "# Upload\n\nSet max_retries together with http.client and std::vector when CI/CD calls FileContext in C++"
        " code; FileContext reads max_retries once.\n",
        replace(OPTIONS, top_n=50),
    )["Upload"]
    text = " ".join(words)
    for whole in ("max_retries", "FileContext", "http.client", "std::vector", "CI/CD", "C++"):
        assert whole in text


def test_link_texts_are_read_and_addresses_are_not() -> None:
    words = found(
        "# Page\n\nSee the [failover playbook](https://hidden.example/secret-address) and"
        " [[runbook#drill|quarterly drill]] or"
        " <https://another.example/path> and ![a picture](image-name.png) for the [standby region][ref].\n\n"
        "[ref]: https://third.example/definition\n",
        replace(OPTIONS, top_n=50),
    )["Page"]
    text = " ".join(words)
    assert "failover playbook" in words and "quarterly drill" in words and "standby region" in words
    for hidden in ("hidden", "secret", "another", "image-name", "third", "definition", "runbook", "https"):
        assert hidden not in text


def test_tags_comments_macros_and_templates_are_not_prose() -> None:
    words = found(
        "---\ntitle: frontmatter words\nowner: somebody\n---\n\n# Page\n\n<!-- invisible remark -->\n"
        '<div class="wrapper">Visible <em>paragraph</em> about harbours</div>\n\n{% data reusables.some.thing %}\n\n'
        'The {{domxref("HTMLElement")}} interface and {{Compat}} with {{EmbedLiveSample("live_sample", 300)}} done.'
        " &copy; Lighthouse keepers.\n",
        replace(OPTIONS, top_n=50),
    )
    text = " ".join(word for words_of in words.values() for word in words_of)
    assert "HTMLElement interface" in text and "harbours" in text
    for hidden in (
        "invisible",
        "wrapper",
        "reusables",
        "compat",
        "Compat",
        "live_sample",
        "copy",
        "frontmatter",
        "owner",
    ):
        assert hidden not in text


@pytest.mark.parametrize(("characters", "expected"), [(49, 0), (50, 3)])
def test_very_short_sections_get_none(characters: int, expected: int) -> None:
    body = "Alpine huts, glacier ropes, summit crosses, valleys."[: characters - 1].ljust(characters, "x")
    assert len(found(f"# Page\n\n## Part\n\n{body}\n")["Part"]) == expected


def test_sections_of_fifteen_lines_get_two_more() -> None:
    nouns = "anchor basin canal delta estuary fjord glacier harbour island jetty kelp lagoon marsh"
    lines = [f"The {noun} lies north of the {noun} gate." for noun in nouns.split()]
    made = found("# Page\n\n## Long\n\n" + "\n".join(lines) + "\n\n## Short\n\n" + " ".join(lines) + "\n")
    assert len(made["Long"]) == 5
    assert len(made["Short"]) == 3


def test_short_sections_ask_no_embedder() -> None:
    document = parsed("# Page\n\n## Part\n\nThe tide gauge reports water levels to the harbour office each hour.\n")
    with_meaning = keywords([document], count([document]), STATIC, OPTIONS)
    assert with_meaning == keywords([document], count([document]), None, OPTIONS)


def test_without_an_embedder_contrast_alone_decides() -> None:
    document = parsed("# Page\n\n## Part\n\n" + "The tide gauge reports water levels to the harbour office. " * 5)
    (made,) = keywords([document], count([document]), None, OPTIONS)
    assert len(made[2]) == 3


def test_near_repeats_are_kept_out() -> None:
    words = found(
        "# Cache\n\n## Rules\n\nTier promotion happens nightly. A job promotes tiers by age, and promoting a tier"
        " moves its blocks to faster disks. Tier promotions are logged, while cold blocks sink to tape archives.\n"
    )["Rules"]
    assert sum("promot" in word.lower() for word in words) == 1


def test_numbers_of_keywords_and_words_follow_the_options() -> None:
    text = "# Page\n\n## Part\n\n" + " ".join(METHODS.values()) + "\n"
    assert len(found(text, replace(OPTIONS, top_n=7))["Part"]) == 7
    assert all(" " not in word for word in found(text, replace(OPTIONS, ngram=1))["Part"])
    assert any(word.count(" ") == 2 for word in found(text, replace(OPTIONS, ngram=3, top_n=40))["Part"])
    assert found(text, replace(OPTIONS, enabled=False))["Part"] == []
    assert found(text, replace(OPTIONS, top_n=0))["Part"] == []
    assert len(found(text, replace(OPTIONS, min_score=1.1))["Part"]) == 1
    assert found(text, replace(OPTIONS, min_chars=10_000))["Part"] == []


def test_words_common_in_the_corpus_yield_to_rare_ones() -> None:
    text = "# Page\n\n## Part\n\nThe server keeps a tombstone for the client, and the server shows it to the client.\n"
    common = Statistics(1000, 1000, {"server": 900, "client": 900, "keep": 500})
    assert found(text, statistics=common)["Part"][0] == "tombstone"


def test_a_capital_from_a_sentence_start_is_not_kept_but_a_name_is() -> None:
    words = found(
        "# Page\n\n## Part\n\nContainers run anywhere. Install Docker first, since Docker builds"
        " images for containers.\n",
        replace(OPTIONS, top_n=20),
    )["Part"]
    text = " ".join(words)
    assert "Docker" in text
    assert "Containers" not in text


def test_drawings_get_none() -> None:
    page = parsed("# Flow\n\nLoad balancer with health checks in front of three replicas.\n")
    document = replace(page, stamp=replace(page.stamp, media=formats.SVG))
    (made,) = keywords([document], count([document]), STATIC, OPTIONS)
    assert made == tuple(() for _ in document.sections)


def test_a_section_of_megabytes_is_sampled_from_all_over_it() -> None:
    filler = "Ordinary gravel roads cross the plain.\n" * 20_000
    words = found("# Page\n\n## Huge\n\n" + filler + "Quicksilver mirror vaults.\n" * 100, replace(OPTIONS, top_n=8))
    assert any("quicksilver" in word.lower() for word in words["Huge"])


def test_a_batch_gives_what_each_document_gives_alone() -> None:
    documents = [
        parsed(f"# {name}\n\n{text}\n\n## More\n\n" + " ".join(METHODS.values()), f"{name}.md")
        for name, text in METHODS.items()
    ]
    statistics = count(documents)
    together = keywords(documents, statistics, STATIC, OPTIONS)
    alone = tuple(keywords([document], statistics, STATIC, OPTIONS)[0] for document in documents)
    assert together == alone
    assert keywords(documents[::-1], statistics, STATIC, OPTIONS) == together[::-1]


def test_real_pages_get_the_same_keywords_in_any_company(laid_out: Path) -> None:
    paths = sorted((laid_out / "docs-dev" / "corpus").rglob("*.md"))[::8]
    assert len(paths) > 40
    documents = [parsed(path.read_bytes(), path.name) for path in paths]
    statistics = count(documents)
    together = keywords(documents, statistics, STATIC, OPTIONS)
    assert together == tuple(keywords([document], statistics, STATIC, OPTIONS)[0] for document in documents)
    sections = [words for page in together for words in page]
    assert sum(map(bool, sections)) > len(sections) / 2


def test_keywords_are_the_same_in_every_process() -> None:
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]; from kits.enrich import found;"
        "from test_enrich_keywords import METHODS;"
        "print(found('# A\\n\\n' + '\\n\\n## B\\n\\n'.join(METHODS.values())))"
    )
    here = Path(__file__).parent
    printed = {
        subprocess.run(
            [sys.executable, "-c", program, str(here), str(here.parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1


def test_no_documents_give_no_keywords() -> None:
    assert keywords([], Statistics(), STATIC, OPTIONS) == ()
    empty = parsed("")
    assert keywords([empty], count([empty]), STATIC, OPTIONS) == (((),),)


def test_the_fingerprint_changes_with_every_option_and_with_the_embedder() -> None:
    prints = {
        fingerprint(options)
        for options in (
            OPTIONS,
            replace(OPTIONS, enabled=False),
            replace(OPTIONS, top_n=4),
            replace(OPTIONS, ngram=3),
            replace(OPTIONS, min_chars=1),
            replace(OPTIONS, min_score=0.5),
            replace(OPTIONS, diversity=0.5),
            replace(OPTIONS, contrast_only_chars=1),
            replace(OPTIONS, max_doc_freq=0.9),
            replace(OPTIONS, model="other"),
        )
    } | {fingerprint(OPTIONS, "other")}
    assert len(prints) == 11
    assert fingerprint(KeywordOptions()) == fingerprint(OPTIONS)


SCRIPTS = {
    "zh": "数据库连接池的默认大小是十个连接，超过限制时返回错误。"
    "增量备份在夜间运行，对象存储保存备份文件，恢复之前请停止服务。" * 2,
    "ja": "データベースの接続プールを設定ファイルで指定します。増分バックアップは変更されたデータだけを保存します。"
    * 2,
    "ko": "데이터베이스 드라이버를 설치하려면 다음 명령을 실행합니다. 증분 백업은 변경된 데이터만 저장합니다.",
    "ru": "Резервное копирование выполняется каждую ночь, а копии хранятся в объектном хранилище без сжатия.",
    "hi": "डेटाबेस ड्राइवर स्थापित करने के लिए निम्न कमांड चलाएँ और कनेक्शन पूल का आकार निर्धारित करें।",
    "ar": "لتثبيت برنامج تشغيل قاعدة البيانات، قم بتشغيل الأمر التالي ثم حدد حجم تجمع الاتصالات في ملف الإعدادات.",
    "de": "Die Größe des Verbindungspools steht in der Konfigurationsdatei, und die Sicherung läuft jede Nacht.",
}


@pytest.mark.parametrize("language", sorted(SCRIPTS))
def test_every_script_gives_phrases_of_its_own_text(language: str) -> None:
    text = SCRIPTS[language]
    words = found(f"# X\n\n{text}\n")["X"]
    assert words
    for word in words:
        assert word.casefold() in text.casefold()
        assert not re.search(r"[，。、．,.;:]", word)


VOCABULARY = "scheduler Queue worker's drain max_retries shard node.js Éclair подсказка 設定 C++ the of 42 v1.2 A"
WORDS = st.sampled_from(VOCABULARY.split())
SIGNS = st.sampled_from([" ", " ", " ", ", ", ". ", "\n", "\n\n", "; ", " (", ") ", ": ", " — "])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(WORDS, SIGNS), max_size=60), st.integers(1, 5), st.integers(1, 3))
def test_keywords_are_words_of_their_section_side_by_side(parts: list[tuple[str, str]], top_n: int, ngram: int) -> None:
    body = "".join(word + sign for word, sign in parts).strip()
    document = parsed(f"# Heading\n\n{body}\n")
    options = replace(OPTIONS, top_n=top_n, ngram=ngram)
    (made,) = keywords([document], count([document]), STATIC, options)
    plain = " ".join(body.casefold().split(" "))
    plain = re.sub(r"[ \n]+", " ", plain.replace("\n\n", "\x00"))
    for words in made:
        assert len(words) == len(set(words)) <= top_n + 2
        for word in words:
            assert word.casefold() in plain
            assert len(word.split()) <= ngram


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="`*_[](){}<>!#|~-=$\\&\n ab'\"%:/.,+@^\x02\x1f")))
def test_no_text_makes_it_fail(text: str) -> None:
    document = parsed("# Heading\n\n" + "padding words " * 5 + text + "\n\n## Other\n\n" + text)
    (made,) = keywords([document], count([document]), STATIC, OPTIONS)
    assert len(made) == len(document.sections)
    assert all(len(words) <= OPTIONS.top_n + 2 for words in made)


HOSTILE = '[ ![ ]( ` ``a < <!-- {{ {% $$ \\a &a a/ a. a_ A/ 字 ( | _ *a [[a| www. a@ -- … <code> <pre><b> {{xref("'


@pytest.mark.parametrize("sign", [*HOSTILE.split(" "), "the ", "- ", "> ", "<a ", "\n"])
def test_hostile_repetition_gives_no_word_that_is_not_in_it(sign: str) -> None:
    # A pattern that tries every length anew would not come to its end with so much text.
    document = parsed("# Heading\n\n" + sign * (200_000 // len(sign)))
    ((above, repeated),) = keywords([document], count([document]), STATIC, OPTIONS)
    assert above == ()
    assert len(repeated) <= OPTIONS.top_n
    assert all(word in sign for word in repeated)


def test_the_program_of_an_mdx_page_names_nothing() -> None:
    page = (
        "import Chart from './chart'\nimport {\n  Widget,\n\n  Gadget\n} from 'gizmos'\n\n"
        "export const settings = {\n  flavour: 1,\n\n  texture: 2\n}\n\n"
        "The harbour master counts every ship that enters the bay and writes its tonnage into the ledger.\n"
    )
    document = parsed(page, "page.mdx")
    (made,) = keywords([document], count([document]), STATIC, OPTIONS)
    said = " ".join(made[0]).lower()
    assert said
    assert not re.search("chart|widget|gadget|gizmo|flavour|texture|settings|import|export", said)


def test_block_ids_and_comments_of_a_vault_name_nothing() -> None:
    page = (
        "# Ports\n\nThe harbour master counts every ship that enters the bay. ^blk1\n\n"
        "%% zebra zebra\nzebra %% The ledger holds the tonnage of each ship at 5^2.\n\n^blk1\n"
    )
    said = " ".join(found(page)["Ports"]).lower()
    assert "harbour" in said or "ship" in said
    assert "blk" not in said
    assert "zebra" not in said
