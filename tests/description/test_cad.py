"""CAD files: nets of small files written here, the fabric sleeve of TMTDyn, and plain refusals."""

import re
import struct
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pliant.description import RobotFileError, WireNet, read_wire_net
from pliant.validation._case import CaseSkipped, find_data

SQUARE = [(0, 0, 0, 10, 0, 0), (10, 0, 0, 10, 10, 0), (10, 10, 0, 0, 10, 0), (0, 10, 0, 0, 0, 0)]
MILLIMETRES, INCHES, METRES = (2, "MM"), (1, "IN"), (6, "M")


def iges(path, entities, unit=MILLIMETRES):
    """An IGES file of entities, each the parameters of one, or (parameters, fields of its directory entry)."""
    flag, name = unit
    text = f",,4Htest,9Htest.iges,4Htest,4Htest,32,38,6,308,15,,1.,{flag},{len(name)}H{name},1,0.01,"
    text += "15H20240101.000000,1E-07,100.,,,11,0,15H20240101.000000,;"
    start = [f"{'':72}S{1:7}"]
    head = [f"{text[at : at + 72]:72}G{k:7}" for k, at in enumerate(range(0, len(text), 72), 1)]
    directory, data = [], []
    for entity in entities:
        parameters, fields = entity if isinstance(entity[-1], dict) else (entity, {})
        own, first = len(directory) + 1, len(data) + 1
        words = ",".join(str(value) for value in parameters) + ";"
        cut = [words[at : at + 64] for at in range(0, len(words), 64)]
        data += [f"{line:64}{own:8}P{first + k:7}" for k, line in enumerate(cut)]
        status = fields.get("status", "00000000")
        kind, turned = parameters[0], fields.get("transform", 0)
        directory.append(f"{kind:8}{first:8}{0:8}{0:8}{0:8}{0:8}{turned:8}{0:8}{status}D{own:7}")
        directory.append(f"{kind:8}{0:8}{0:8}{len(cut):8}{fields.get('form', 0):8}{'':16}{'':8}{0:8}D{own + 1:7}")
    counts = f"S{1:7}G{len(head):7}D{len(directory):7}P{len(data):7}"
    path.write_text("\n".join([*start, *head, *directory, *data, f"{counts:72}T{1:7}"]) + "\n", encoding="ascii")
    return path


def lines(*segments):
    return [(110, *map(float, segment)) for segment in segments]


def refusal(*arguments, **options):
    with pytest.raises(RobotFileError) as caught:
        read_wire_net(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(("unit", "metres"), [(MILLIMETRES, 1e-3), (INCHES, 0.0254), (METRES, 1.0), ((10, "CM"), 1e-2)])
def test_lines_of_an_iges_file_are_in_metres_whatever_its_unit(tmp_path, unit, metres):
    net = read_wire_net(iges(tmp_path / "square.IGS", lines(*SQUARE), unit))
    corners = np.array([[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]])
    np.testing.assert_allclose(net.nodes, metres * corners, rtol=1e-12, atol=1e-12)
    assert net.nodes.dtype == np.float64
    assert net.edges == ((0, 1), (1, 2), (2, 3), (3, 0))
    assert net.labels == (1, 2, 3, 4)


def test_nodes_are_numbered_as_the_lines_reach_them(tmp_path):
    net = read_wire_net(iges(tmp_path / "net.iges", lines((5, 0, 0, 9, 0, 0), (1, 0, 0, 5, 0, 0), (9, 0, 0, 9, 9, 9))))
    np.testing.assert_allclose(net.nodes * 1e3, [[5, 0, 0], [9, 0, 0], [1, 0, 0], [9, 9, 9]])
    assert net.edges == ((0, 1), (2, 0), (1, 3))
    assert net.single_edge_nodes() == (2, 3)
    assert net.meeting_order() == (0, 1)


def test_an_entity_is_where_its_transformation_puts_it(tmp_path):
    turn = ((124, 0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0), {})
    line = ((110, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0), {"transform": 1})
    net = read_wire_net(iges(tmp_path / "turned.iges", [turn, line]))
    np.testing.assert_allclose(net.nodes * 1e3, [[5, 6, 7], [5, 16, 7]], atol=1e-9)


ARC = (100, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 10.0)  # a quarter about the origin, from +x to +y


def test_a_curve_is_one_edge_or_the_pieces_asked_for(tmp_path):
    path = iges(tmp_path / "arc.iges", [ARC, *lines((0, 10, 0, -10, 10, 0))])
    whole = read_wire_net(path)
    np.testing.assert_allclose(whole.nodes * 1e3, [[10, 0, 0], [0, 10, 0], [-10, 10, 0]], atol=1e-6)
    cut = read_wire_net(path, pieces=3)
    angle = np.radians([0, 30, 60, 90])
    round_part = 10 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    np.testing.assert_allclose(cut.nodes * 1e3, [*round_part, [-10, 10, 0]], atol=1e-5)
    assert cut.edges == ((0, 1), (1, 2), (2, 3), (3, 4))


def test_a_closed_curve_needs_three_pieces(tmp_path):
    path = iges(tmp_path / "ring.iges", [(100, 0.0, 0.0, 0.0, 10.0, 0.0, 10.0, 0.0)])
    for pieces in (1, 2):
        assert re.search("the curve through .* is closed.*expected pieces=3 or more", refusal(path, pieces=pieces))
    ring = read_wire_net(path, pieces=5)
    assert ring.statistics()[:3] == (5, 5, 1)
    np.testing.assert_allclose(ring.lengths, 2 * 0.01 * np.sin(np.pi / 5), rtol=1e-5)


def test_a_broken_line_keeps_its_corners_and_a_spline_its_ends(tmp_path):
    corners = (0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 10.0, 10.0, 5.0)
    broken = (126, 2, 1, 0, 0, 1, 0, 0.0, 0.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0, *corners, 0.0, 2.0)
    net = read_wire_net(iges(tmp_path / "broken.iges", [broken]))
    np.testing.assert_allclose(net.nodes.ravel() * 1e3, corners, atol=1e-9)
    curved = (126, 2, 2, 0, 0, 1, 0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, *corners, 0.0, 1.0)
    net = read_wire_net(iges(tmp_path / "curved.iges", [curved]))
    np.testing.assert_allclose(net.nodes.ravel() * 1e3, [0, 0, 0, 10, 10, 5], atol=1e-9)


def test_step_files_say_their_unit_and_share_edges_between_faces(tmp_path):
    writer = pytest.importorskip("OCP.STEPControl").STEPControl_Writer()
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.STEPControl import STEPControl_AsIs

    writer.Transfer(BRepPrimAPI_MakeBox(30.0, 20.0, 10.0).Shape(), STEPControl_AsIs)
    path = tmp_path / "box.step"
    writer.Write(str(path))
    found = read_wire_net(path).statistics()
    assert found[:3] == (8, 12, 1)
    np.testing.assert_allclose([*found.low, *found.high], [0, 0, 0, 0.03, 0.02, 0.01], atol=1e-9)
    path.write_text(path.read_text().replace("SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT(.CENTI.,.METRE.)"))
    assert read_wire_net(path).statistics().high == pytest.approx((0.3, 0.2, 0.1))


def test_reading_prints_nothing(tmp_path, capfd):
    read_wire_net(iges(tmp_path / "square.iges", lines(*SQUARE)))
    assert capfd.readouterr() == ("", "")


def tetrahedron():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    return corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def stl_text(corners, faces):
    facets = [
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {' '.join(map(str, corners[index]))}\n" for index in face)
        + "endloop\nendfacet\n"
        for face in faces
    ]
    return ("solid test\n" + "".join(facets) + "endsolid test\n").encode()


def stl_binary(corners, faces):
    records = [struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces]
    return b"\0" * 80 + struct.pack("<I", len(faces)) + b"".join(records)


@pytest.mark.parametrize("write", [stl_text, stl_binary])
def test_the_sides_of_stl_triangles(tmp_path, write):
    path = tmp_path / "body.stl"
    path.write_bytes(write(*tetrahedron()))
    net = read_wire_net(path, scale=0.01)
    assert net.statistics()[:3] == (4, 6, 1)
    np.testing.assert_allclose(net.nodes, 0.01 * tetrahedron()[0][[0, 2, 1, 3]], rtol=1e-7)
    assert not net.single_edge_nodes()


def test_obj_files_have_lines_and_faces_of_any_number_of_sides(tmp_path):
    path = tmp_path / "net.obj"
    path.write_text("# wires\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2 3//1 4\nv 0 0 1\nl 1 -1\n")
    net = read_wire_net(path, scale=0.5)
    assert net.edges == ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4))
    assert net.single_edge_nodes() == (4,)
    assert net.statistics().high == (0.5, 0.5, 0.5)


def test_obj_mistakes_are_told_with_their_line(tmp_path):
    path = tmp_path / "net.obj"
    for text, said in {
        "v 0 0 0\nl 1 2\n": 'net.obj:2: l: got "l 1 2"; expected numbers of vertices that stand before it',
        "v 0 0\n": 'net.obj:1: v: got "v 0 0"; expected three coordinates',
        "v 0 0 0\nf 1 0\n": 'net.obj:2: f: got "f 1 0"',
        "v 0 0 0\nv 1 0 nan\nl 1 2\n": "node 2 is at (1, 0, nan); expected finite numbers",
    }.items():
        path.write_text(text)
        assert said in refusal(path)


def test_refusals_name_the_file_and_what_was_expected(tmp_path):
    square = iges(tmp_path / "square.iges", lines(*SQUARE))
    empty, points = tmp_path / "empty.obj", iges(tmp_path / "points.iges", [(116, 1.0, 2.0, 3.0, 0)])
    empty.write_text("v 0 0 0\n")
    text = tmp_path / "text.step"
    text.write_text("no CAD\n")
    for said, wrong in {
        r"none.iges: cannot be read \(No such file or directory\)": {"path": tmp_path / "none.iges"},
        r"cannot be read \(Is a directory\)": {"path": (tmp_path / "folder.stl")},
        r'\.dxf"; expected one of: \.iges, \.igs, \.step, \.stp, \.stl, \.obj': {"path": "net.dxf"},
        r"empty.obj: there are no lines in it": {"path": empty},
        r"points.iges: there are no lines in it": {"path": points},
        r"text.step: cannot be read as STEP": {"path": text},
        r"scale: got 0; expected a factor above 0": {"path": square, "scale": 0.0},
        r"pieces: got 0; expected from 1 to 1000": {"path": square, "pieces": 0},
        r'tolerance: got "1 kg".*expected a length': {"path": square, "tolerance": "1 kg"},
        r"tolerance: got -1 m; expected a length of 0 or more": {"path": square, "tolerance": -1.0},
    }.items():
        (tmp_path / "folder.stl").mkdir(exist_ok=True)
        assert re.search(said, refusal(wrong.pop("path"), **wrong)), said


def test_a_tolerance_that_swallows_an_edge_is_refused(tmp_path):
    path = iges(tmp_path / "short.iges", lines((0, 0, 0, 10, 0, 0), (10, 0, 0, 10, 0.5, 0)))
    said = refusal(path)
    assert "short.iges: edge 2: from (0.01, 0, 0) to (0.01, 0.0005, 0) m is 0.0005 m long" in said
    assert "tolerance of 0.001 m" in said and "expected a smaller tolerance" in said
    assert len(read_wire_net(path, tolerance="0.1 mm").nodes) == 3


def test_what_open_cascade_leaves_out_is_refused(tmp_path):
    whole = iges(tmp_path / "net.iges", lines(*SQUARE)).read_text()
    broken = tmp_path / "broken.iges"
    broken.write_text(whole.replace("110,10.0,0.0,0.0,10.0,10.0,0.0;", "110,10.0,0.0,0.0,10.0;".ljust(31)))
    assert "parts of it cannot be read: entity 2" in refusal(broken)
    broken.write_text("nothing\n")
    assert "cannot be read as IGES" in refusal(broken)


@pytest.mark.parametrize(("suffix", "package"), [("iges", "OCP"), ("stp", "OCP"), ("stl", "trimesh")])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, suffix, package):
    blocked = [name for name in sys.modules if name.partition(".")[0] == package]
    for name in {package, *blocked}:
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / f"net.{suffix}"
    path.write_text("x")
    assert "pip install 'pliant[cad]'" in refusal(path)


def sleeve(name):
    try:
        return find_data(None).file(f"fabric_sleeve/{name}")
    except CaseSkipped as skipped:
        pytest.skip(str(skipped))


def test_the_sleeve_has_the_nodes_of_the_paper():
    net = read_wire_net(sleeve("exp2.iges"))
    assert net.statistics()[:3] == (15, 22, 1)
    assert not net.single_edge_nodes()
    # TMTDyn has the link as body 1 before these. Table 9 clamps bodies 14 and 16, Figure 11 measures 12 and 13.
    body = dict(enumerate(net.nodes[list(net.meeting_order())] * 1e3, start=2))
    for number, place in {16: (36, 0, 0), 14: (-40, 0, 0), 12: (0, 22.5946, -162), 13: (0, 10.967, -250)}.items():
        np.testing.assert_allclose(body[number], place, atol=1e-3)


def test_the_sleeve_as_surfaces_is_the_same_net():
    wires, surfaces = read_wire_net(sleeve("exp2.iges")), read_wire_net(sleeve("exp1.iges"), scale=10)
    assert surfaces.statistics()[:3] == (15, 22, 1)  # drawn in centimetres, though the file says millimetres
    apart = np.linalg.norm(wires.nodes[:, None] - surfaces.nodes, axis=2)
    assert apart.min(axis=1).max() < 4e-3  # the surfaces lean by 3 mm at one row
    same = apart.argmin(axis=1)
    pairs = {frozenset((int(same[first]), int(same[second]))) for first, second in wires.edges}
    assert pairs == {frozenset(edge) for edge in surfaces.edges}


def grid(rows, columns):
    nodes = np.array([[i, j, 0.1 * i * j] for i in range(rows) for j in range(columns)], dtype=float)
    along = [(i * columns + j, i * columns + j + 1) for i in range(rows) for j in range(columns - 1)]
    across = [(i * columns + j, (i + 1) * columns + j) for i in range(rows - 1) for j in range(columns)]
    return WireNet(nodes, tuple(along + across))


def in_pieces(net, noise):
    """The same wires, each with two nodes of its own."""
    ends = net.nodes[np.array(net.edges)].reshape(-1, 3) + noise
    return WireNet(ends, tuple((2 * k, 2 * k + 1) for k in range(len(net.edges))))


@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 2**31))
def test_merging_undoes_taking_apart(rows, columns, seed):
    net = grid(rows, columns)
    apart = in_pieces(net, np.random.default_rng(seed).uniform(-1, 1, (2 * len(net.edges), 3)) * 1e-5)
    merged = apart.merged(1e-4)
    assert merged.statistics()[:3] == (rows * columns, len(net.edges), 1)
    np.testing.assert_allclose(np.sort(merged.lengths), np.sort(net.lengths), atol=1e-4)
    assert merged.merged(1e-4).edges == merged.edges
    first_seen = list(dict.fromkeys(end for edge in merged.edges for end in edge))
    assert first_seen == sorted(first_seen)


def test_a_transformed_net_keeps_its_lengths():
    net, angle = grid(3, 4), 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    moved = net.transformed(turn, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(moved.lengths, net.lengths)
    np.testing.assert_allclose(moved.nodes[4], turn @ net.nodes[4] + [1, 2, 3])
    for wrong in (2 * np.eye(3), np.diag([1, 1, -1]), np.eye(2)):
        with pytest.raises(RobotFileError, match="rotation"):
            net.transformed(wrong)


def test_a_net_checks_its_edges():
    for edges in ([(0, 0)], [(0, 4)], [(-1, 0)]):
        with pytest.raises(RobotFileError, match=r"edge 1: got .*; expected two different indices from 0 to 2"):
            WireNet(np.eye(3), edges)
    with pytest.raises(RobotFileError, match=r"got the shape \(3, 2\); expected \(n, 3\)"):
        WireNet(np.zeros((3, 2)), ())


def test_nodes_out_of_reach_are_refused():
    """The search for neighbours squares distances, and failed with numbers of 1e300 m."""
    far = np.eye(3)
    far[1, 0] = 1e300
    with pytest.raises(RobotFileError, match=r"node 2 is at \(1e\+300, 1, 0\); expected finite .* at most 1e\+40 m"):
        WireNet(far, [(0, 1)])
    with pytest.raises(RobotFileError, match=r"tolerance: got 1e\+300 m; expected a length of 0 or more, at most"):
        WireNet(np.eye(3), [(0, 1)]).merged(1e300)
