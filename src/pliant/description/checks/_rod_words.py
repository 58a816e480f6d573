"""Words of rod models that are none of the language's: legal where Python brings the model."""

from collections.abc import Iterator, Sequence
from typing import Any

from pliant.description.language import Description, DividedRod, Model, Rod, UserModel
from pliant.description.language.grammar import Finding, Location, nearest, one_of, show


def user_models(description: Description) -> Iterator[tuple[Location, UserModel]]:
    """Every model of a rod or a division that is not one of the language's, and where it stands."""
    for index, link in enumerate(description.links):
        if not isinstance(link, Rod | DividedRod):
            continue
        place: Location = ("links", index)
        models: list[tuple[Location, Any]] = [((*place, "model"), link.model)]
        models += [((*place, "divisions", i, "model"), part.model) for i, part in enumerate(link.divisions or ())]
        yield from ((where, model) for where, model in models if isinstance(model, UserModel))


def unknown_models(description: Description, brought: Sequence[str]) -> list[Finding]:
    """What is wrong with the words of rod models, of which some are brought from Python."""
    known = [*Model.words(), *brought]
    return [
        Finding(
            place,
            model.word,
            f"got {show(model.word)}; {nearest(model.word, known)}expected {Model.called}: {one_of(known)}",
        )
        for place, model in user_models(description)
        if model.word not in known
    ]
