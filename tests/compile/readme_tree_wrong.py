"""readme_tree_wrong.py WORK: readme_tree.py tells each fault of a README that is not true, and none of one that is. The
trees are written to WORK."""
import pathlib
import shutil
import subprocess
import sys

WORK = pathlib.Path(sys.argv[1])
SCRIPT = pathlib.Path(__file__).with_name("readme_tree.py")
FILES = ["api.hpp", "fwd.hpp", "row/row.hpp", "kernel/table.hpp", "kernel/arithmetic/ln.inc"]


def judge(name, text):
    """What the script says of the README, and how it ends."""
    shutil.rmtree(WORK / name, ignore_errors=True)
    for file in FILES:
        path = WORK / name / "sluice" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (WORK / name / "sluice/README.md").write_text(text)
    run = subprocess.run([sys.executable, "-B", SCRIPT, WORK / name], capture_output=True, text=True)
    return run.returncode, run.stdout.splitlines()


RIGHT = """# include/sluice/
    api.hpp fwd.hpp    the contract, see https://example.org/sluice/other.hpp
    row/               `row/row.hpp`
    kernel/  table.hpp · arithmetic/ each formula once (ln.inc)
Read `sluice::api` and/or <sluice/api.hpp>.
"""
assert judge("right", RIGHT) == (0, []), judge("right", RIGHT)

WRONG = RIGHT.replace("fwd.hpp ", "").replace("row/row.hpp", "row/blocks.hpp").replace("arithmetic/", "cut/")
expected = (1, [
    "README.md names cut/, which does not exist",
    "README.md names row/blocks.hpp, which does not exist",
    "README.md does not name the folder kernel/arithmetic/",
    "README.md does not name fwd.hpp",
])
found = judge("wrong", WRONG)
assert found == expected, found
