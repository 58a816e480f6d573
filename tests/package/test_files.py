"""Files are whole or absent, a disk without room is told in one sentence, and a seal shows every kind of damage."""

import errno
import os
import zipfile

import numpy as np
import pytest

from little_room import little_room
from pliant._arrays import read_arrays, write_arrays
from pliant._files import (
    WriteError,
    check_writable,
    drop_partial,
    make_folder,
    seal,
    seal_problem,
    write_all,
    write_bytes,
    writing,
)


def test_a_file_takes_its_place_at_the_end(tmp_path):
    path = write_bytes(tmp_path / "a.txt", b"first")
    with writing(path) as partial:
        partial.write_bytes(b"second")
        assert path.read_bytes() == b"first" and partial.parent == tmp_path
    assert path.read_bytes() == b"second" and [own.name for own in tmp_path.iterdir()] == ["a.txt"]
    with pytest.raises(ZeroDivisionError), writing(path) as partial:
        partial.write_bytes(b"third")
        raise ZeroDivisionError
    assert path.read_bytes() == b"second" and [own.name for own in tmp_path.iterdir()] == ["a.txt"]


def test_what_a_killed_process_left_of_a_file_is_removed(tmp_path):
    path = tmp_path / "a.txt"
    old, young, another = (
        tmp_path / f".{name}.{32 * digit}.partial" for name, digit in (("a.txt", "0"), ("a.txt", "1"), ("a.txt.b", "2"))
    )
    for left in (old, young, another):
        left.write_bytes(b"part")
    for left in (old, another):
        os.utime(left, (1e9, 1e9))
    write_bytes(path, b"x")
    assert not old.exists() and young.exists() and another.exists(), "another process may write the young one"
    drop_partial(path)
    assert not young.exists() and another.exists()


def test_a_disk_without_room_is_one_sentence(tmp_path):
    path = write_bytes(tmp_path / "a.txt", b"old")
    with little_room(1000), pytest.raises(WriteError) as ended:
        write_bytes(path, bytes(5000))
    assert (
        str(ended.value) == f"{path}: cannot be written (File too large); free some space, or write to another folder"
    )
    assert ended.value.errno == errno.EFBIG and isinstance(ended.value, OSError)
    assert path.read_bytes() == b"old" and [own.name for own in tmp_path.iterdir()] == ["a.txt"]


def test_files_that_belong_together_are_written_all_or_not_at_all(tmp_path):
    with little_room(1000), pytest.raises(WriteError, match=r"large\.c: cannot be written"):
        write_all({tmp_path / "small.h": b"x", tmp_path / "large.c": bytes(5000), tmp_path / "last.c": b"x"})
    assert not list(tmp_path.iterdir())
    write_all({tmp_path / "small.h": b"x", tmp_path / "large.c": bytes(5000)})
    assert sorted(own.name for own in tmp_path.iterdir()) == ["large.c", "small.h"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none/a.txt", r"none/a\.txt: cannot be written \(No such file or directory\); make its folder first"),
        ("file/a.txt", r"file/a\.txt: cannot be written \(Not a directory\); choose another name"),
        ("folder", r"folder: cannot be written \(Is a directory\); choose another name"),
        ("x" * 300, r"cannot be written \(File name too long\); choose a shorter name"),
    ],
)
def test_the_cure_follows_from_the_cause(tmp_path, name, expected):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(WriteError, match=expected):
        write_bytes(tmp_path / name, b"x")
    assert sorted(own.name for own in tmp_path.iterdir()) == ["file", "folder"]


def test_whether_a_file_can_be_written_is_known_before(tmp_path):
    check_writable(tmp_path / "new" / "a.npz")
    assert [own.name for own in tmp_path.rglob("*")] == ["new"]
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteError, match=r"file: cannot be written \((File exists|Not a directory)\)"):
        check_writable(tmp_path / "file" / "a.npz")
    with pytest.raises(WriteError, match="choose another name"):
        make_folder(tmp_path / "file")


def test_a_seal_shows_every_single_byte(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"some contents")
    assert "does not end with a seal" in seal_problem(write_bytes(tmp_path / "long", bytes(200)))
    assert "too short" in seal_problem(path)
    seal(path)
    assert seal_problem(path) == ""
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert seal_problem(path), place
        path.write_bytes(whole[:place])
        assert seal_problem(path), place
    assert seal_problem(tmp_path / "none") == "there is no such file"
    assert seal_problem(tmp_path) == "this is a folder"


ARRAYS = {"a": np.arange(6.0).reshape(2, 3), "empty": np.zeros((0, 3)), "text": np.asarray("key"), "n": np.asarray(3)}


def test_arrays_come_back_as_they_were(tmp_path):
    found = read_arrays(write_arrays(tmp_path / "a.npz", {**ARRAYS, "f": np.asfortranarray(ARRAYS["a"])}))
    assert list(found) == [*ARRAYS, "f"]
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype and found[name].flags.writeable
    np.testing.assert_array_equal(found["f"], ARRAYS["a"])
    with np.load(tmp_path / "a.npz") as other:  # NumPy reads them too
        np.testing.assert_array_equal(other["a"], ARRAYS["a"])


def _npy(header: str, content: bytes) -> bytes:
    text = header.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("objects", _npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n(S'true'\ntR.")),
        ("giant", _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}", bytes(8))),
        ("negative", _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}", bytes(8))),
        ("not a header", _npy("{'descr': " + "(" * 60, bytes(8))),
        ("no array", b"hello"),
        ("a later version", b"\x93NUMPY\x03\x00" + bytes(100)),
    ],
)
def test_nothing_in_an_archive_is_trusted(tmp_path, name, content):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", content)
    seal(path)
    with pytest.raises(ValueError, match="its arrays cannot be read"):
        read_arrays(path)


def test_an_archive_that_would_unpack_to_more_than_it_is_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(10_000_000))
    seal(path)
    with pytest.raises(ValueError, match="larger than the file"):
        read_arrays(path)
    path.write_bytes(b"PK, but no archive")
    seal(path)
    with pytest.raises(ValueError, match="cannot be read"):
        read_arrays(path)
