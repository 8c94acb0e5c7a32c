"""What models like to read: `llms.txt` with a line for each document, `llms-full.txt` with all of the text.

The material and the facts of topics enter, parts leave. A document is said to be about what its frontmatter describes,
else about the first keywords of its first sections. Where there are many documents, each topic has an `llms.txt` of its
own, and that of the root lists these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from pinakes.publish.material import Material
from pinakes.publish.names import joined, markdown_text, shown
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.publish.topics import Member, Topic
from pinakes.records import Outline
from pinakes.render import one_line

LLMS, LLMS_FULL = "llms.txt", "llms-full.txt"
_MANY = 200
"""With more documents than this, a model would read a long list to find one of them."""
_MOST_KEYWORDS = 5
_LONGEST = 200
_LONGEST_ABOUT = 300


def model_parts(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """The lists, and the full text unless it is not wanted; files that the owner of the documents wrote stay alone."""
    listed = [topic for topic in material.topics if topic.members]
    own = {member.place for topic in material.topics for member in topic.members}
    is_split = len(material.outlines) > _MANY
    if is_split:
        for topic in listed:
            place = joined(topic.place, LLMS)
            if topic.place and place not in own:
                made = _bytes(_of_topic(topic, material, known))
                yield FolderPart(f"llms {topic.place}", digest_of(made), partial(PartFiles, ((place, made),), {}))
    links: Facts = {"links": {"llms": LLMS}}
    made = b"" if LLMS in own else _bytes(_root(listed, material, known, is_split=is_split))
    files = ((LLMS, made),) if made else ()
    yield FolderPart(LLMS, digest_of(made), partial(PartFiles, files, links))
    if LLMS_FULL not in own and material.options.has_full_text:
        inputs = digest_of([(one.ref.path, one.digest) for one in material.outlines])
        full: Facts = {"links": {"llms-full": LLMS_FULL}}
        yield FolderPart(
            LLMS_FULL,
            digest_of(material.settings) + inputs,
            lambda: PartFiles(((LLMS_FULL, _full_text(material)),), full),
            len(material.outlines),
        )


def _root(listed: Sequence[Topic], material: Material, known: Mapping[str, Facts], *, is_split: bool) -> str:
    lines = [f"# {markdown_text(material.site_title)}", ""]
    lines.append(f"> {len(material.outlines)} documents. index.json names every chunk and the order to read them in;")
    full = " llms-full.txt is all of the text." if material.options.has_full_text else ""
    lines.append(f"> map.txt is an outline of everything.{full}")
    if is_split:
        lines += ["", "## Folders", ""]
        lines += [_folder_line(topic, material) for topic in listed if topic.place]
    for topic in listed:
        if not (is_split and topic.place):
            name = one_line(shown(topic.path), _LONGEST) or one_line(topic.title, _LONGEST)
            lines += ["", f"## {markdown_text(name)}", "", *_documents(topic, "", material, known)]
    return "\n".join(lines) + "\n"


def _of_topic(topic: Topic, material: Material, known: Mapping[str, Facts]) -> str:
    lines = [f"# {markdown_text(one_line(topic.title, _LONGEST))}", ""]
    return "\n".join([*lines, *_documents(topic, topic.place, material, known)]) + "\n"


def _folder_line(topic: Topic, material: Material) -> str:
    name, title = one_line(shown(topic.path), _LONGEST), one_line(topic.title, _LONGEST)
    about = f"{title}, " if title != topic.path.rpartition("/")[2] else ""
    count = f"{len(topic.members)} document{'' if len(topic.members) == 1 else 's'}"
    link = material.href(joined(topic.place, LLMS), "")
    return f"- [{markdown_text(name)}]({link}): {markdown_text(about)}{count}"


def _documents(topic: Topic, home: str, material: Material, known: Mapping[str, Facts]) -> list[str]:
    held = known[f"topic {topic.place}"].get("descriptions")
    described = held if isinstance(held, dict) else {}
    return [_line(one, material.href(one.place, home), str(described.get(one.place, ""))) for one in topic.members]


def _line(member: Member, href: str, description: str) -> str:
    title = markdown_text(one_line(member.outline.title, _LONGEST))
    about = markdown_text(one_line(description, _LONGEST_ABOUT) or _keywords(member.outline))
    return f"- [{title}]({href})" + (f": {about}" if about else "")


def _keywords(outline: Outline) -> str:
    """The first keywords of the first sections."""
    words = dict.fromkeys(word for section in outline.sections for word in section.keywords[:2])
    return one_line(", ".join(list(words)[:_MOST_KEYWORDS]), _LONGEST)


def _full_text(material: Material) -> bytes:
    pieces: list[bytes] = []
    members = [member for topic in material.topics for member in topic.members]
    for member, source in zip(members, material.sources([one.outline for one in members]), strict=True):
        head = f"{'' if not pieces else chr(10)}<!-- {material.href(member.place, '')} -->\n\n"
        pieces += [head.encode(), source, b"" if source.endswith(b"\n") else b"\n"]
    return b"".join(pieces)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
