"""The document of the robot language that a system is lowered to, and where each part of it was written."""

from typing import Any

from pliant.description.language.grammar import path_of

ACTS = {-1: "compression", 0: "both", 1: "tension"}
SIX_OF_TMT = (3, 4, 5, 0, 1, 2)  # [x y z rx ry rz] of TMTDyn in the order rx ry rz x y z


class Document:
    """A robot in the making; `origin` leads from paths in it to those of the TMT language."""

    def __init__(self, name: str) -> None:
        self.data: dict[str, Any] = {"robot": name}
        self.origin: dict[str, str] = {}

    def add(self, section: str, item: dict[str, Any], written: str, fields: dict[str, str] | None = None) -> None:
        """Add an item that stands at `written`; `fields`: those of its parts that stand elsewhere."""
        items = self.data.setdefault(section, [])
        items.append(item)
        path = path_of((section, len(items) - 1), self.data)
        self.origin[path] = written
        self.origin |= {f"{path}.{field}": place for field, place in (fields or {}).items()}

    def start(self, link: str, values: dict[str, Any], written: str) -> None:
        """Where a link is at the start."""
        if values:
            self.data.setdefault("initial", {}).setdefault(link, {}).update(values)
            self.origin[f"initial.{link}"] = written

    def written(self, path: str) -> str:
        """The field of the TMT language that a path of the document came from."""
        while path and path not in self.origin:
            path = path.rpartition(".")[0]
        return self.origin.get(path, "")


def in_order(row: list[Any]) -> list[Any]:
    """Six numbers of TMTDyn, [x y z rx ry rz], in the order of the robot language."""
    return [row[index] for index in SIX_OF_TMT]
