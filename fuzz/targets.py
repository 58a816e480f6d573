"""What is asked of Pliant with something spoiled, and which answers are right: a robot, or an error in plain words."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from typer.testing import CliRunner

import pliant
from fuzz import samples
from fuzz.mutations import ODD_WORDS, places, spoiled_bytes, spoiled_data, spoiled_text
from pliant import library, tmt
from pliant._arrays import read_arrays, write_arrays
from pliant._files import seal
from pliant.cli import app
from pliant.description import RobotFileError, parse_value, read_wire_net
from pliant.description._robot import Robot
from pliant.description.language.grammar import Tree
from pliant.model import ModelFileError
from pliant.native import NativeError, _build
from pliant.results import ResultFileError, load_result
from pliant.simulation._checkpoint import Checkpoint, CheckpointError

# Words of the libraries beneath, which say nothing to a user.
_LEAKS = ("Input should", "validation error", "pydantic", "Traceback", "allow_pickle", "BadZipFile", "object at 0x")
_LONGEST_ANSWER = 20_000  # characters


class Leak(AssertionError):
    """An answer that is no sentence for a user."""


class Computed(Exception):
    """A command got as far as its computation, which is not what is tried here."""


class Case(NamedTuple):
    """shown: the spoiled thing, for a report; ask: does what is tried, and raises what nobody expects."""

    shown: str
    ask: Callable[[], None]


@contextlib.contextmanager
def answered(*kinds: type[Exception]) -> Iterator[None]:
    """Errors of these kinds are answers, if they are told in plain words."""
    try:
        yield
    except kinds as error:
        _check_words(str(error))


def _check_words(text: str, leaks: tuple[str, ...] = _LEAKS) -> None:
    leaks = tuple(leak for leak in leaks if leak in text)
    if not text.strip() or leaks or len(text) > _LONGEST_ANSWER:
        raise Leak(f"{len(text)} characters, {leaks}: {text[:300]!r}")


class Targets:
    """What is tried. It holds the whole files that are spoiled; folder: for the spoiled ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ["PLIANT_CACHE"] = str(self.folder / "cache")
        pliant.configure()
        self._models = samples.write_models(self.folder)
        self._contents = [path.read_bytes() for path in self._models]
        self._result = samples.write_result(self.folder).read_bytes()
        self._checkpoint = samples.write_checkpoint(self.folder).read_bytes()
        self._recording = samples.write_recording(self.folder).read_text()
        self._entry = samples.write_entry() if samples.has_compiler() else None
        self._whole_entry = self.folder / "entry"
        if self._entry is not None:
            shutil.copytree(self._entry, self._whole_entry)
        _stop_computing()
        self._places = [[place for place in places(data) if place] for data in samples.robot_data()]
        # What to try, and how often of a hundred.
        self._kinds: dict[Callable[[Random], Case], int] = {
            self.file: 36, self.data: 28, self.value: 16, self.system: 2, self.urdf: 1, self.net: 1, self.model: 2,
            self.sealed_model: 6, self.result: 2, self.sealed_result: 1, self.checkpoint: 2, self.cache: 1,
            self.command: 2,
        }  # fmt: skip

    @property
    def names(self) -> list[str]:
        return [kind.__name__ for kind in self._kinds]

    def case(self, seed: int, index: int) -> tuple[str, Case]:
        """The case of this number: the same in every process."""
        random = Random(f"{seed} {index}")
        kind = random.choices(list(self._kinds), list(self._kinds.values()))[0]
        return kind.__name__, kind(random)

    # Robot files, and values of robots

    def file(self, random: Random) -> Case:
        texts = samples.robot_texts()
        text = spoiled_text(random.choice(texts), texts, random)
        return Case(text, lambda: _compiled(lambda: pliant.parse(text, folder=library.path("silicone-arm").parent)))

    def data(self, random: Random) -> Case:
        every = samples.robot_data()
        data = spoiled_data(random.choice(every), every, random)
        return Case(repr(data), lambda: _compiled(lambda: Robot._of(Tree(data), "robot.yaml")))

    def value(self, random: Random) -> Case:
        """As `--set` does it."""
        index = random.randrange(len(samples.robots()))
        robot, data = samples.robots()[index], samples.robot_data()[index]
        words: list[str] = []
        for key in random.choice(self._places[index]):
            item = data[key]
            named = isinstance(key, int) and isinstance(item, dict) and "name" in item
            words.append(str(item["name"] if named else key))
            data = item
        if random.random() < 0.3:
            words[random.randrange(len(words))] = random.choice((*ODD_WORDS, "name", "0", "x" * 500))
        path = ".".join(words * random.choice((1, 1, 1, 1, 300)))
        value = random.choice((random.choice(ODD_WORDS), spoiled_text(str(data), samples.robot_texts(), random)))
        return Case(f"{path} = {value}", lambda: _compiled(lambda: robot.with_value(path, parse_value(value))))

    def system(self, random: Random) -> Case:
        """A system of the TMT language."""
        text = spoiled_text(random.choice(samples.system_texts()), samples.system_texts(), random)
        path = self.folder / "spoiled.tmt.yaml"

        def ask() -> None:
            path.write_text(text, encoding="utf-8", errors="replace")
            _compiled(lambda: tmt.load(path).robot())

        return Case(text, ask)

    def urdf(self, random: Random) -> Case:
        text, path = samples.urdf_text(), self.folder / "spoiled.urdf"
        text = spoiled_text(text, (text,), random)

        def ask() -> None:
            path.write_text(text, encoding="utf-8", errors="replace")
            _compiled(lambda: Robot.from_urdf(path))

        return Case(text, ask)

    def net(self, random: Random) -> Case:
        """A CAD file that holds text."""
        path, text = self.folder / "spoiled.obj", spoiled_text(samples.NET, (samples.NET,), random)

        def ask() -> None:
            path.write_text(text, encoding="utf-8", errors="replace")
            with answered(RobotFileError):
                read_wire_net(path)

        return Case(text, ask)

    # Files that Pliant wrote

    def model(self, random: Random) -> Case:
        return self._damaged(random, random.choice(self._contents), "model.npz", self._load_model)

    def sealed_model(self, random: Random) -> Case:
        """A saved model that somebody changed, and sealed again."""
        path = random.choice(self._models)
        arrays = read_arrays(path)
        plain = json.loads(arrays["blueprint"].tobytes())
        if random.random() < 0.8:
            plain = spoiled_data(plain, samples.robot_data(), random)
        else:
            name = random.choice(list(arrays))
            odd = (np.zeros(0), np.full(arrays[name].shape, np.nan), np.zeros((2, 3)), np.asarray("x"), np.asarray(1))
            arrays[random.choice((name, f"{name}x"))] = random.choice(odd)
        try:
            text = json.dumps(plain)
        except ValueError:  # a number of more digits than Python writes
            text = "{}"
        if random.random() < 0.9:
            arrays["blueprint"] = np.frombuffer(text.encode(errors="replace"), np.uint8)
        spoiled = self.folder / "model.npz"

        def ask() -> None:
            write_arrays(spoiled, arrays)
            self._load_model(spoiled)

        return Case(text, ask)

    def _load_model(self, path: Path) -> None:
        with answered(ModelFileError):
            pliant.load_model(path)

    def result(self, random: Random) -> Case:
        return self._damaged(random, self._result, "result.nc", self._load_result)

    def sealed_result(self, random: Random) -> Case:
        """A result that somebody changed with other tools, and sealed."""
        dataset, path = samples.motion().to_xarray(), self.folder / "sealed.nc"
        name = random.choice(list(dataset.variables))
        kind = random.randrange(5)
        if kind == 0:
            dataset = dataset.drop_vars(name)
        elif kind == 1:
            dataset = dataset.assign({name: ("somewhere", np.arange(3))})
        elif kind == 2:
            dataset = dataset.isel({random.choice(list(dataset.sizes)): slice(0, random.randrange(2))})
        elif kind == 3:
            dataset = dataset.assign_attrs({random.choice(list(dataset.attrs)): random.choice(("", "x", 7, "[", "{}"))})
        else:
            dataset = dataset.rename({name: "renamed"})

        def ask() -> None:
            path.unlink(missing_ok=True)
            dataset.to_netcdf(path, engine="h5netcdf")
            seal(path)
            self._load_result(path)

        return Case(repr(dataset), ask)

    def _load_result(self, path: Path) -> None:
        with answered(ResultFileError):
            load_result(path)

    def checkpoint(self, random: Random) -> Case:
        def ask(path: Path) -> None:
            with answered(CheckpointError):
                Checkpoint(path, samples.KEY, every=0.0).resume(samples.begin())

        return self._damaged(random, self._checkpoint, "run.npz", ask)

    def _damaged(self, random: Random, content: bytes, name: str, ask: Callable[[Path], None]) -> Case:
        path, damaged = self.folder / name, spoiled_bytes(content, random)

        def write_and_ask() -> None:
            path.write_bytes(damaged)
            ask(path)

        return Case(repr(damaged[:2000]), write_and_ask)

    def cache(self, random: Random) -> Case:
        """An entry of the cache of native code: what is not as it was built is not loaded, and is built again."""
        entry, whole = self._entry, self._whole_entry
        if entry is None:
            return Case("there is no compiler", lambda: None)
        name = random.choice(sorted(path.name for path in whole.iterdir()))
        damaged = random.choice((None, spoiled_bytes((whole / name).read_bytes(), random)))

        def ask() -> None:
            shutil.rmtree(entry, ignore_errors=True)
            shutil.copytree(whole, entry)
            if damaged is None:
                (entry / name).unlink()
            else:
                (entry / name).write_bytes(damaged)
            with answered(NativeError):
                found = _build.cached(samples.KEY)
                if found is not None and found.read_bytes() != (whole / found.name).read_bytes():
                    raise Leak(f"a damaged {name} would be loaded")

        return Case(f"{name}: {damaged!r:.2000}", ask)

    # The command line

    def command(self, random: Random) -> Case:
        words = self._words(random)

        def ask() -> None:
            (self.folder / "work").mkdir(exist_ok=True)
            (self.folder / "spoiled.csv").write_text(spoiled_text(self._recording, (self._recording,), random))
            (self.folder / "spoiled.nc").write_bytes(spoiled_bytes(self._result, random))
            texts = samples.robot_texts()
            (self.folder / "spoiled.yaml").write_text(spoiled_text(random.choice(texts), texts, random))
            with contextlib.chdir(self.folder / "work"):
                found = CliRunner().invoke(app, words)
            if found.exception is not None and not isinstance(found.exception, SystemExit | Computed):
                raise found.exception
            if found.exit_code not in (0, None) and not isinstance(found.exception, Computed):
                _check_words(found.output, _LEAKS[1:])  # the words of the parser of options are what they are

        return Case(json.dumps(words), ask)

    def _words(self, random: Random) -> list[str]:
        """A command with odd words in odd places."""
        files = [str(self.folder / name) for name in ("spoiled.yaml", "spoiled.nc", "spoiled.csv", "none", ".")]
        robot = random.choice(("pendulum-rod", "silicone-arm", *files))

        def odd() -> str:
            given = random.choice((*ODD_WORDS, "x" * 3000, "1 s", "2", "tip", "all", "1e9", "nan", "-1e9", *files))
            return given.replace("\x00", "")

        def changed() -> str:
            return random.choice((odd(), f"{odd()}={odd()}", f"links.arm.length={odd()}", f"gravity={odd()}"))

        commands = [
            ["check", robot], ["library"], ["schema"], ["new", odd(), "--from", random.choice(("four-bar", odd()))],
            ["plot", random.choice(files), "--out", random.choice(("out", "x" * 300, ""))],
            ["mesh", random.choice(files), "--scale", odd()],
            ["statics", robot, "--times", odd()], ["statics", robot, "--steps", odd(), "--drop", odd()],
            ["modes", robot, "--count", odd()], ["run", robot, "--out", "out"],
            ["simulate", robot, "--until", odd(), "--step", odd(), "--stepper", random.choice(("newmark", odd()))],
            ["simulate", robot, "--save-every", odd(), "--from", random.choice(("statics", odd()))],
            ["compare", robot, "--models", random.choice(("gvs", "pcs,eba", odd())), "--frame", odd()],
            ["identify", robot, "--data", random.choice(files), "--parameter", changed(), "--input", changed()],
            ["identify", "pendulum-rod", "--data", files[2], "--frame", odd(), "--parameter", "gravity"],
            ["export-c", robot, "--out", "c", "--function", odd(), "--inputs", odd()],
            ["native", robot, "--function", odd()], [odd()], [],
            ["validate", "--only", odd()], ["validate", "--against", random.choice(files)], ["validate", "--list"],
            ["cog-fit", "--samples", odd(), "--seed", odd()],
        ]  # fmt: skip
        words = random.choice(commands)
        if random.random() < 0.4:
            words = [*words, "--set", changed()]
        if random.random() < 0.2:
            words.insert(random.randrange(len(words) + 1), random.choice((odd(), f"--{odd()}", "--json", "--help")))
        return [str(word) for word in words]


def _compiled(robot: Callable[[], Robot]) -> None:
    with answered(RobotFileError):
        pliant.compile(robot())


def _stop_computing() -> None:
    """From here on commands end where a computation would begin."""
    import pliant.analysis
    import pliant.arms
    import pliant.cli._study
    import pliant.simulation
    import pliant.validation._comparison
    import pliant.view

    def stop(*arguments: Any, **words: Any) -> Any:
        raise Computed

    for module, name in (
        (pliant.cli._study.Study, "solve"), (pliant.validation._comparison._Task, "solve"), (pliant.validation, "run"),
        (pliant.analysis, "mobility"), (pliant.analysis, "equilibrium"), (pliant.simulation, "simulate"),
        (pliant.simulation, "export_c"), (pliant.simulation, "time_native"), (pliant.arms, "cog_fit"),
        (pliant.view, "save_plots"),
    ):  # fmt: skip
        setattr(module, name, stop)
