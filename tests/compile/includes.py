"""includes.py INCLUDE_DIR: every arrow between the headers of sluice points down.

Reads each `#include <sluice/...>` below INCLUDE_DIR/sluice and tells, with both files, an include that points to a
higher layer, files that include each other in a circle, and two folders of one layer that include each other. A file
that no layer names is told too.
"""
import collections
import pathlib
import re
import sys

# From the bottom up: what includes a file stands in its layer or in a higher one. A folder ends in "/", and the longest
# name counts.
LAYERS = [
    ["config.hpp", "types.hpp", "fwd.hpp", "macros_off.inc", "macros_back.inc"],
    ["token_mask.hpp", "logits_view.hpp", "params.hpp", "memory.hpp", "refuse.hpp"],
    ["kernel/arithmetic/"],
    ["random/"],
    ["kernel/"],
    ["history/"],
    ["sequence.hpp", "sequence_bodies.hpp", "workspace.hpp", "api.hpp"],
    ["row/"],
    ["cut/"],
    ["stage/", "draw/"],
    ["chain/"],
    ["serial.hpp", "speculative/"],
    ["batch.hpp", "logprobs.hpp", "speculative.hpp"],
    ["params/", "state.hpp"],
    ["sluice.hpp", "adapter/"],
]
PLACES = {name: layer for layer, names in enumerate(LAYERS) for name in names}


def place_of(file):
    """The entry of LAYERS that a file belongs to, or None."""
    fitting = [name for name in PLACES if file == name or (name.endswith("/") and file.startswith(name))]
    return max(fitting, key=len, default=None)


def read_includes(root):
    includes = {}
    for path in sorted(root.rglob("*")):
        if path.suffix in (".hpp", ".inc"):
            found = re.findall(r"^\s*#\s*include\s*<sluice/([^>]+)>", path.read_text(), re.MULTILINE)
            includes[path.relative_to(root).as_posix()] = found
    return includes


def find_circle(includes):
    """The files of one circle in their order, the first of them again at the end; or nothing."""
    done, way = set(), []

    def follow(file):
        if file in way:
            return way[way.index(file):] + [file]
        if file in done or file not in includes:
            return []
        way.append(file)
        for target in includes[file]:
            circle = follow(target)
            if circle:
                return circle
        way.pop()
        done.add(file)
        return []

    for file in includes:
        circle = follow(file)
        if circle:
            return circle
    return []


def faults_of(includes):
    between = collections.defaultdict(list)  # (folder, other folder of its layer): the includes
    for file, targets in includes.items():
        place = place_of(file)
        if place is None:
            yield f"{file} is in no layer"
            continue
        for target in targets:
            other = place_of(target)
            if target not in includes:
                yield f"{file} includes {target}, which does not exist"
            elif other is None:
                continue
            elif PLACES[other] > PLACES[place]:
                yield f"{file} includes {target}, which is above it"
            elif PLACES[other] == PLACES[place] and other != place and place.endswith("/") and other.endswith("/"):
                between[place, other].append(f"{file} includes {target}")
    for (place, other), arrows in sorted(between.items()):
        if place < other and (other, place) in between:
            yield f"{place} and {other} include each other: {arrows[0]}, {between[other, place][0]}"
    circle = find_circle(includes)
    if circle:
        yield "a circle: " + " includes ".join(circle)


def main():
    includes = read_includes(pathlib.Path(sys.argv[1]) / "sluice")
    faults = list(faults_of(includes))
    for fault in faults:
        print(fault)
    print(f"{len(includes)} files, {sum(map(len, includes.values()))} includes, {len(faults)} faults")
    return 1 if faults or not includes else 0


if __name__ == "__main__":
    sys.exit(main())
