"""The page: one file, offline, with every user string escaped and the geometry inside."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from pliant.view import write_page

VOID = {"meta", "input", "br", "link"}


class Reader(HTMLParser):
    """Checks that elements close in order, and collects text and outside references."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.text: dict[str, str] = {}
        self.identifier = ""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.references += [values[name] for name in ("src", "href") if name in values]
        if tag not in VOID:
            self.open.append(tag)
        self.identifier = values.get("id") or tag

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text[self.identifier] = self.text.get(self.identifier, "") + data


@pytest.fixture
def page(trajectory, modes, equilibrium, load_path, quasi_static, tmp_path):
    title = "A <arm> & @@DATA@@"
    results = [trajectory, modes, equilibrium, load_path, quasi_static]
    return write_page(results, tmp_path / "page.html", title).read_text("utf-8")


@pytest.fixture
def reader(page) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_page_is_well_formed_and_offline(page, reader):
    assert reader.open == []
    assert reader.references == []
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttpRequest", page)
    assert "default-src 'none'" in page


def test_user_strings_are_escaped(page, reader):
    assert "<b>" not in page
    assert page.count("</script>") == 2  # the data and the program: not the robot's name
    assert reader.text["title"].strip() == "A <arm> & @@DATA@@"


def test_data(reader, trajectory):
    results = json.loads(reader.text["data"])["results"]
    assert [record["kind"] for record in results] == ["Trajectory", "Modes", "Equilibrium", "LoadPath", "QuasiStatic"]
    assert [record["label"] for record in results[-2:]] == ["load factor [1]", "time [s]"]
    assert [rod["name"] for rod in results[-1]["rods"]] == ["arm/1", "arm/2"]
    assert "stages" not in results[-1]["summary"]
    motion, modes = results[:2]
    assert motion["summary"]["robot"] == "</script><b>arm</b>"
    numbers = np.frombuffer(base64.b64decode(motion["nodes"]), "<f4").reshape(101, 12, 9)
    expected = np.asarray(trajectory.shape.node_pose)
    np.testing.assert_allclose(numbers[..., :3], expected[..., :3, 3], atol=1e-7)
    np.testing.assert_allclose(numbers[..., 6:], expected[..., :3, 2], atol=1e-7)
    tip = np.frombuffer(base64.b64decode(motion["frames"]), "<f4").reshape(101, 2, 3)[:, 0]
    np.testing.assert_allclose(tip, trajectory.position("tip"), atol=1e-7)
    assert set(motion["energy"]) == set(trajectory.energy)
    assert modes["modes"]["frequency"] == [6.9, 7.4, 41.0, 44.0]
    assert modes["modes"]["damping"] == [0.02, 0.03, None, 0.0]
    turns = np.frombuffer(base64.b64decode(modes["modes"]["bodyTurns"]), "<f4").reshape(4, 3, 3)
    moves = np.frombuffer(base64.b64decode(modes["modes"]["bodies"]), "<f4").reshape(4, 3, 3)
    assert 0 < turns[0, 1, 0] <= 0.7001 and 0 < np.abs(moves[0]).max() < 0.1


def test_long_motions_are_thinned(trajectory, tmp_path, monkeypatch):
    monkeypatch.setattr("pliant.view._page._MOST_SAMPLES", 11)
    text = write_page([trajectory], tmp_path / "page.html", "thin").read_text("utf-8")
    record = json.loads(text.split('id="data">')[1].split("</script>")[0])["results"][0]
    time = np.frombuffer(base64.b64decode(record["value"]), "<f4")
    np.testing.assert_allclose(time, np.linspace(0, 2, 11), rtol=1e-6)


def test_refusal(tmp_path):
    with pytest.raises(ValueError, match="at least one result"):
        write_page([], tmp_path / "page.html", "empty")
    assert list(tmp_path.iterdir()) == []
