"""readme_tree.py INCLUDE_DIR: what INCLUDE_DIR/sluice/README.md says of the tree is true.

Each folder and each header of the top level must be named in it: `row/`, `row/blocks.hpp` or, anywhere, the bare name.
Each name in it that ends in .hpp, .inc or a slash must be that of a file or folder there, with as much of the path as
is given.
"""
import pathlib
import re
import sys


def faults_of(root):
    text = (root / "README.md").read_text()
    # Addresses, and paths that begin outside the tree, are not the tree's.
    text = re.sub(r"https?://\S+", "", text)
    named = set(re.findall(r"(?<![\w/.-])((?:[\w-]+/)*[\w-]+(?:\.hpp|\.inc|/))(?![\w-])", text))
    named = {name.removeprefix("include/").removeprefix("sluice/") for name in named} - {"", "include/", "sluice/"}

    folders = {p.relative_to(root).as_posix() + "/" for p in root.rglob("*") if p.is_dir()}
    files = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.suffix in (".hpp", ".inc")}
    for name in sorted(named):
        if not any(there == name or there.endswith("/" + name) for there in folders | files):
            yield f"README.md names {name}, which does not exist"

    def is_named(path):
        last = path.rstrip("/").rsplit("/", 1)[-1] + ("/" if path.endswith("/") else "")
        return any(name in (path, last) or name.startswith(path) for name in named)

    for folder in sorted(folders):
        if not is_named(folder):
            yield f"README.md does not name the folder {folder}"
    for file in sorted(files):
        if "/" not in file and file.endswith(".hpp") and file not in named:
            yield f"README.md does not name {file}"


def main():
    faults = list(faults_of(pathlib.Path(sys.argv[1]) / "sluice"))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
