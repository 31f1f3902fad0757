"""Runs the recipe for Conan with stand-ins for the parts of Conan that it uses, and looks at the package.

conan_recipe.py RECIPE WORK PREFIX VERSION: the folder of the recipe, a folder to work in, the tree that CMake
installed, and the version that the package must have.
"""
import fnmatch
import os
import runpy
import shutil
import sys
import types

RECIPE, WORK, PREFIX, VERSION = sys.argv[1:]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files(folder):
    """The files below a folder, by their path from there."""
    return {
        os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
        for where, _, names in os.walk(folder)
        for name in names
    }


def copy(conanfile, pattern, src, dst):
    for name in files(src):
        if fnmatch.fnmatch(name, pattern):
            target = os.path.join(dst, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(src, name), target)


asked_for = []
stand_ins = {
    "conan": {"ConanFile": type("ConanFile", (), {})},
    "conan.tools": {},
    "conan.tools.build": {
        "can_run": lambda conanfile: True,
        "check_min_cppstd": lambda conanfile, standard: asked_for.append(standard),
    },
    "conan.tools.cmake": {"CMake": None, "cmake_layout": None},
    "conan.tools.files": {"copy": copy, "load": lambda conanfile, path: read(path).decode()},
}
for name, members in stand_ins.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


def recipe_of(folder):
    names = runpy.run_path(os.path.join(folder, "conanfile.py")).values()
    (recipe,) = [c for c in names if isinstance(c, type) and c.__bases__ == (stand_ins["conan"]["ConanFile"],)]
    return recipe()


recipe = recipe_of(RECIPE)
assert recipe.name == "sluice" and recipe.license == "MIT" and recipe.package_type == "header-library"
assert hasattr(recipe_of(os.path.join(RECIPE, "test_package")), "test")

recipe.recipe_folder = RECIPE
recipe.set_version()
assert recipe.version == VERSION, f"the recipe reads version {recipe.version}, expected {VERSION}"
recipe.validate()
assert asked_for == [20], f"the recipe asks for C++{asked_for}"

shutil.rmtree(WORK, ignore_errors=True)
recipe.export_sources_folder = recipe.source_folder = os.path.join(WORK, "source")
recipe.package_folder = os.path.join(WORK, "package")
recipe.export_sources()
recipe.recipe_folder = None  # what packs the sources has them alone
recipe.package()

packed = os.path.join(recipe.package_folder, "include")
installed = os.path.join(PREFIX, "include")
assert files(packed) == files(installed), f"not in both packages: {files(packed) ^ files(installed)}"
for name in files(installed):
    assert read(os.path.join(packed, name)) == read(os.path.join(installed, name)), f"{name} is another"
assert files(recipe.package_folder) - {"include/" + name for name in files(packed)} == {"licenses/LICENSE"}

recipe.cpp_info = types.SimpleNamespace(includedirs=["include"], libdirs=["lib"], bindirs=["bin"])
recipe.info = {"compiler": "any"}
recipe.package_info()
recipe.package_id()
assert recipe.cpp_info.includedirs == ["include"] and not recipe.cpp_info.libdirs and not recipe.cpp_info.bindirs
assert not recipe.info, "the package of headers depends on the compiler"
