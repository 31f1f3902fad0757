"""includes_wrong.py WORK: includes.py tells what is wrong with a tree that has every fault, and finds none in a right
one. The trees are written to WORK."""
import pathlib
import shutil
import subprocess
import sys

WORK = pathlib.Path(sys.argv[1])
SCRIPT = pathlib.Path(__file__).with_name("includes.py")


def judge(name, files):
    """What the script says of the tree, and how it ends."""
    shutil.rmtree(WORK / name, ignore_errors=True)
    for file, includes in files.items():
        path = WORK / name / "sluice" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#pragma once\n\n" + "".join(f"#include <{i}>\n" for i in includes.split()))
    run = subprocess.run([sys.executable, "-B", SCRIPT, WORK / name], capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines()


RIGHT = {
    "config.hpp": "cstddef",
    "types.hpp": "sluice/config.hpp",
    "kernel/arithmetic/ln.inc": "",
    "kernel/table.hpp": "vector sluice/kernel/arithmetic/ln.inc sluice/types.hpp",
    "stage/xtc.hpp": "sluice/draw/gumbel.hpp",
    "draw/gumbel.hpp": "sluice/kernel/table.hpp",
}
expected = (0, ["6 files, 5 includes, 0 faults"])
assert judge("right", RIGHT) == expected, judge("right", RIGHT)

WRONG = {
    "types.hpp": "sluice/params/check.hpp",
    "params/check.hpp": "sluice/types.hpp",
    "kernel/arithmetic/ln.inc": "sluice/kernel/table.hpp",
    "kernel/table.hpp": "",
    "draw/gumbel.hpp": "sluice/stage/xtc.hpp",
    "stage/xtc.hpp": "sluice/draw/softmax.hpp",
    "draw/softmax.hpp": "",
    "attic.hpp": "",
    "fwd.hpp": "sluice/gone.hpp",
}
expected = (1, [
    "attic.hpp is in no layer",
    "fwd.hpp includes gone.hpp, which does not exist",
    "kernel/arithmetic/ln.inc includes kernel/table.hpp, which is above it",
    "types.hpp includes params/check.hpp, which is above it",
    "draw/ and stage/ include each other: draw/gumbel.hpp includes stage/xtc.hpp, "
    "stage/xtc.hpp includes draw/softmax.hpp",
    "a circle: params/check.hpp includes types.hpp includes params/check.hpp",
    "9 files, 6 includes, 6 faults",
])
found = judge("wrong", WRONG)
assert found == expected, "\n".join([f"exit code {found[0]}", *found[1]])
