"""The command that shows the net of a CAD file."""

import pytest
from cli_helpers import invoke, invoke_json

WEB = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nv 200 0 0\nl 1 2 3 4 1\nl 2 5\n"


@pytest.fixture
def web(tmp_path):
    path = tmp_path / "web.obj"
    path.write_text(WEB, encoding="utf-8")
    return path


def test_mesh_shows_nodes_edges_and_extents(web):
    shown = invoke("mesh", web, "--scale", "0.001").stdout
    assert "web.obj: 5 nodes, 5 edges, in one part" in shown
    assert "x from 0 to 0.2 m" in shown
    assert "nodes with a single edge: 5" in shown
    assert "edges to" in shown and "1, 3, 5" in shown


def test_mesh_as_json(web):
    found = invoke_json("mesh", web, "--scale", "0.001")
    assert found["edges"] == [[1, 2], [2, 3], [3, 4], [4, 1], [2, 5]]
    assert found["single_edge_nodes"] == [5]
    assert found["nodes"][1] == {"label": 2, "position_m": [0.1, 0.0, 0.0], "edges": 3}
    assert found["extent_m"]["z"] == [0.0, 0.1]


def test_mesh_draws_the_net(web, tmp_path):
    picture = tmp_path / "pictures" / "web.png"
    assert str(picture) in invoke("mesh", web, "--scale", "0.001", "--plot", picture).stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused = invoke("mesh", web, "--plot", tmp_path / "web.docx", code=2)
    assert "expected a file that ends in one of: .png, .pdf, .svg" in refused.stderr


def test_mesh_refuses_plainly(web):
    assert "edge 1" in invoke("mesh", web, "--scale", "0.001", "--tolerance", "10 cm", code=2).stderr
    assert "expected one of: .iges" in invoke("mesh", web.with_suffix(".yaml"), code=2).stderr
