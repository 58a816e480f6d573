"""The Python of the pages runs, and every link inside the repository leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# [text](target) and ![text](target), with an optional title after the target.
LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
PROGRAMS = {
    "README.md": 1,
    "docs/arms.md": 4,
    "docs/blueprint.md": 2,
    "docs/extending.md": 4,
    "docs/functions.md": 3,
    "docs/identification.md": 2,
    "docs/native.md": 2,
}  # pages whose Python blocks make one program, and how many they are


def blocks(page: Path) -> list[str]:
    return [text for language, text in FENCE.findall(page.read_text(encoding="utf-8")) if language == "python"]


def anchors(page: Path) -> set[str]:
    """Headings as GitHub addresses them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    broken = []
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.is_relative_to(ROOT) or not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_is_python(page):
    for number, text in enumerate(blocks(page), 1):
        compile(text, f"{page.name}, block {number}", "exec")


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_runs(name, capsys):
    texts = blocks(ROOT / name)
    assert len(texts) == PROGRAMS[name]
    space = {"__name__": "page"}
    for number, text in enumerate(texts, 1):
        exec(compile(text, f"{name}, block {number}", "exec"), space)  # noqa: S102  (our own page)
    assert capsys.readouterr().out
