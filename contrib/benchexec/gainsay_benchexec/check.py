"""Tool-info module of gainsay for BenchExec: `gainsay check` on every script of a task set.

Put `contrib/benchexec` on PYTHONPATH and name the module in the benchmark definition, as contrib/benchexec/example.xml does:

    <benchmark tool="gainsay_benchexec.check">

The status is `true` if the answers are consistent, `false(KIND)` if gainsay found something wrong, and `unknown` if nothing could be decided.
The columns `answers` (the answers of each solver) and `verdict` may be extracted.
"""

import json

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    def name(self):
        return "gainsay"

    def executable(self, tool_locator):
        return tool_locator.find_executable("gainsay")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="gainsay")

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "check", task.single_input_file, "--json", *options]

    def determine_result(self, run):
        for line in reversed(list(run.output)):
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if told.get("findings"):
                return f"{result.RESULT_FALSE_PROP}({told['findings'][0]['kind']})"
            return {"fine": result.RESULT_TRUE_PROP}.get(told.get("verdict"), result.RESULT_UNKNOWN)
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        for line in reversed(list(output)):
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if identifier == "answers":
                return "; ".join(f"{run['solver']} {' '.join(run['answers'])}" for run in told["runs"])
            return str(told.get(identifier, ""))
        return None
