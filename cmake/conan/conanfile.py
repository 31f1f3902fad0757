# The recipe for Conan 2:  conan create cmake/conan
# It packs the checkout that it lies in; the version is that of config.hpp.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load


class Sluice(ConanFile):
    name = "sluice"
    description = "The sampler chain of an LLM inference engine"
    license = "MIT"
    topics = ("llm", "sampling", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _checkout(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        config = load(self, os.path.join(self._checkout, "include", "sluice", "config.hpp"))
        parts = [re.search(rf"define SLUICE_VERSION_{part} (\d+)", config) for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(part.group(1) for part in parts)

    def export_sources(self):
        copy(self, "LICENSE", src=self._checkout, dst=self.export_sources_folder)
        copy(self, "include/*", src=self._checkout, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for headers in ("include/*.hpp", "include/*.inc"):
            copy(self, headers, src=self.source_folder, dst=self.package_folder)

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
