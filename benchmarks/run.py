"""Benchmarks of Pliant: `python benchmarks/run.py --suite spine`. See docs/benchmarks.md."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from harness import beside, environments, machine, report
from harness.bars import judge, load_bars
from harness.child import BENCHMARKS, Checkout
from harness.suite import Measurement, Suite, measure
from harness.suites import SUITES

_CALIBRATION = Suite((Measurement("calibration", "harness.calibration", (), ()),))


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__)
    parser.add_argument("--suite", choices=sorted(SUITES), default="spine")
    parser.add_argument(
        "--peer",
        choices=[*environments.PEERS, "none"],
        help="compare with this peer only; none: with no peer, and waive the bars that need one",
    )
    parser.add_argument("--only", metavar="TEXT", help="run only measurements whose name contains this")
    parser.add_argument(
        "--beside",
        metavar="FOLDER",
        type=Checkout.at,
        help="an earlier checkout with its .venv: its processes take turns with these, and its times are bars",
    )
    parser.add_argument("--rounds", metavar="N", type=int, default=1, help="with --beside: so many turns (default 1)")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed or was not measured")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything that was measured")
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="put the tables between the markers of this page")
    parser.add_argument(
        "--from", dest="stored", metavar="FILE", type=Path, help="a file of --json instead of measuring"
    )
    parser.add_argument("--list", action="store_true", help="list figures and bars, and measure nothing")
    parser.add_argument("--setup-peer", choices=sorted(environments.PEERS), help="make the peer's environment and stop")
    return parser.parse_args(words)


def _tell(message: str) -> None:
    print(f"measuring {message} ...", file=sys.stderr, flush=True)


def _measured(suite: Suite, arguments: argparse.Namespace) -> dict[str, Any]:
    peers = list(environments.PEERS) if arguments.peer is None else [arguments.peer]
    described = machine.describe(peers)
    calibration = measure(_CALIBRATION, [], None, _tell).raw.get("calibration", {})
    results = measure(suite, peers, arguments.only, _tell, arguments.beside, arguments.rounds)
    return {
        "suite": arguments.suite,
        "peer": arguments.peer,
        "machine": described,
        "calibration": calibration,
        "load_average_after": os.getloadavg()[0],
        "values": results.values,
        "missing": results.missing,
        "raw": results.raw,
        "earlier": results.earlier,
    }


def _list(suite: Suite, bars: list) -> None:
    for figure, peer in suite.figures:
        print(f"{figure.name:44} [{figure.unit}]  {figure.meaning}{f' ({peer})' if peer else ''}")
    print()
    for bar in bars:
        print(
            f"{bar.figure} {bar.comparison} {bar.limit:g} {f'x {bar.against}' if bar.against else bar.unit}: {bar.why}"
        )


def main(words: list[str] | None = None) -> int:
    arguments = _arguments(words)
    if arguments.setup_peer:
        environments.set_up(arguments.setup_peer)
        return 0
    suite = SUITES[arguments.suite]
    bars = [bar for bar in load_bars(BENCHMARKS / "bars.toml") if bar.suite == arguments.suite]
    if arguments.list:
        _list(suite, bars)
        return 0
    if arguments.stored:
        document = json.loads(arguments.stored.read_text(encoding="utf-8"))
    else:
        document = _measured(suite, arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    waived = [figure.name for figure, peer in suite.figures if peer] if document["peer"] == "none" else []
    verdicts = judge(bars, document["values"], waived)
    slower = beside.judge(suite, document["values"], document.get("earlier", {}))
    print(report.text(suite, document, verdicts))
    if slower:
        print(report.beside(slower))
    if arguments.markdown:
        content = report.markdown(suite, document, verdicts)
        report.replace_between_markers(arguments.markdown, arguments.suite, content)
    return 1 if arguments.check and any(verdict.fails for verdict in [*verdicts, *slower]) else 0


if __name__ == "__main__":
    sys.exit(main())
