"""lit's configuration: every .mlir and .test file outside test/python is one test."""

import os

import lit.formats

config.name = "tilewright"
config.test_source_root = os.path.dirname(__file__)
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["python", "unit", "benchmark", "Inputs"]

tools = [config.tilewright_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(tools)
# FileCheck's own way to show more of the input around a failure.
config.environment["FILECHECK_OPTS"] = "--dump-input-context=10"
