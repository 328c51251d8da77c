# How the textual tests run: what is a test, and what stands for planc, FileCheck and the folders of the repository.
# SPDX-License-Identifier: Apache-2.0
import os

import lit.formats

if not hasattr(config, "planc_bin_dir"):
    lit_config.fatal("run lit on tests/lit of the build folder, which holds lit.site.cfg.py")

config.name = "planc"
config.test_format = lit.formats.ShTest(execute_external=False)  # lit's own shell: faster and portable
config.suffixes = [".plan", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.planc_obj_root
if config.test_path:  # programs of listed packages only: tests/path
    config.environment["PATH"] = config.test_path
    config.available_features.add("path")
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["PLANC_VERIFY"] = "1"  # the levels of every plan, after each pass
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# With word boundaries, so that `%planc` is not replaced inside of a longer name.
config.substitutions += [
    (r"%planc\b(?!-)", os.path.join(config.planc_bin_dir, "planc")),
    (r"%FileCheck\b", config.filecheck + " --dump-input=fail --allow-unused-prefixes=false"),
    (r"%python\b", sys.executable),
    (r"%not\b", config.llvm_not),
    (r"%path\b", config.test_path),
    (r"%stdlib\b", os.path.join(config.planc_root, "stdlib")),
    (r"%examples\b", os.path.join(config.planc_root, "examples")),
    (r"%root\b", config.planc_root),
]
