"""How well and how fast is source code read?

``python -m benchmarks.code [--npm FOLDER] [--every N] [--speed]``

Symbols of Python beside `ast`, on the standard library and ten installed packages, and its imports beside what Python
finds; JavaScript and TypeScript beside the TypeScript compiler; C and C++ beside Universal Ctags. What is not installed
is said. With ``--speed`` ten megabytes of Python are indexed with their links, in a process of its own, and then one
changed file is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.code import ctags, python, speed, typescript
from benchmarks.code.symbols import Comparison, files_below


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npm", type=Path, default=Path(".node/code"), help="where npm brings packages to")
    parser.add_argument("--every", type=int, default=1, help="read only every Nth file of Python")
    parser.add_argument("--speed", action="store_true", help="measure how fast Python is indexed, and nothing else")
    chosen = parser.parse_args()
    if chosen.speed:
        print(speed.measured())
        return
    _python(chosen.every)
    npm = chosen.npm.absolute()
    problem = typescript.fetch(npm)
    for package in () if problem else typescript.PACKAGES:
        print(typescript.compare(npm, package).told(f"{package} beside TypeScript"))
    print(f"TypeScript: {problem}" if problem else "", end="\n" if problem else "")
    problem = ctags.missing() or ctags.fetch(npm)
    for package, folder in () if problem else ctags.SOURCES.items():
        print(ctags.compare(npm / "node_modules" / folder).told(f"{package} beside ctags"))
    print(f"C and C++: {problem}" if problem else "", end="\n" if problem else "")


def _python(every: int) -> None:
    root, paths = python.standard_library()
    print(python.compare_symbols(root, paths[::every]).told("standard library beside ast"))
    packages = python.installed_packages()
    symbols, imports = Comparison(), Comparison()
    for package in packages:
        files = [f"{package.name}/{path}" for path in files_below(package, (".py",))]
        symbols.take(python.compare_symbols(package.parent, files[::every]))
        imports.take(python.compare_imports(package))
    print(symbols.told(f"{len(packages)} packages beside ast"))
    print(imports.told(f"imports of {len(packages)} packages", what="imports"))


if __name__ == "__main__":
    main()
