"""Hostile inputs for attack.py: seeds, models and solvers. Everything is generated from a number, so that a run can be repeated."""

import random

# Options and commands by which a script could make a solver write or read a file; FILE stands for the path.
FILE_COMMANDS = [
    '(set-option :regular-output-channel "FILE")', '(set-option :diagnostic-output-channel "FILE")',
    '(set-option :trace_file_name "FILE")', '(set-option :solver.proof.log "FILE")', '(set-option :proof.log "FILE")',
    '(set-option :out "FILE")', '(set-option :err "FILE")', '(set-option :dump-instantiations-file "FILE")',
    '(set-option :smtlib2_log "FILE")', '(set-option :sat.drat.file "FILE")', '(set-option :fp.spacer.trace_file "FILE")',
    '(set-option :opt.solution_prefix "FILE")', '(set-option :debug_ref_count true)(set-option :trace-file "FILE")',
    '(include "FILE")', '(set-option :output "FILE")', '(set-option :solver.smtlib2_log "FILE")',
    '(set-option :model.dump "FILE")', '(set-option :in "FILE")', '(set-option :filename "FILE")',
]
SPELLINGS = [
    lambda c: c, lambda c: c.replace("(", "( ", 1), lambda c: c.replace("(", "(\t", 1), lambda c: c.replace("(", "(;x\n", 1),
    lambda c: c.replace("set-option", "|set-option|").replace("include", "|include|"), lambda c: c.replace(" ", "\n", 1),
    lambda c: f"(push 1){c}(pop 1)", lambda c: c.replace(" :", "  ;;\n  :"), lambda c: c.upper() if "FILE" not in c else c + c,
]
SPOOFS = [
    '(echo "unsat")', '( echo "unsat")', '(\techo "unsat")', '(\necho "unsat")', '(;c\necho "unsat")', '(|echo| "unsat")',
    '(echo "sat")(echo "unsat")', '(echo "\nunsat\n")', '(echo "(error ""x"")\nunsat")', '(simplify unsat)', '(eval unsat)',
    '(get-value (|x\nunsat\n|))', '(get-info :reason-unknown)', '(set-info :x |\nunsat\n|)(get-info :x)', '(display unsat)',
    '(check-sat)(echo "unsat")', '(push 1)(echo "unsat")(pop 1)', '(get-option :produce-models)(echo "unsat")', '(help)', '(labels)',
    '(get-assertions)', '(declare-const |unsat| Bool)(get-value (unsat))', '(apply (then simplify skip))', '(dbg-print unsat)',
    '(get-proof)', '(get-unsat-core)', '(echo "session-end")', '(echo "gainsay-0000-session-end")', '(reset)(echo "unsat")', '(exit)(echo "unsat")',
]
WIDE = ["(_ BitVec {w})", "(Array (_ BitVec {w}) (_ BitVec {w}))", "(_ FloatingPoint {w} 53)", "(_ FloatingPoint 11 {w})", "(Seq (_ BitVec {w}))"]
WIDTHS = [4294967295, 4294967294, 2147483648, 1073741824, 16777217, 1048577, 65537, 0, 1]
LOGICS = ["LRA", "NRA", "QF_LRA", "QF_RDL", "UFLRA", "HORN", "ALL", "QF_BV", "QF_S", "QF_LIA", "NOT_A_LOGIC", "QF_UFLRA"]
CONTROLS = ["\x1b[2J", "\x1b]0;t\x07", "\r", "\x08" * 9, "\u202e", "\u2066", "\u200b", "\x9b2J", "\x7f", "\x00", "\ufeff", "\U000e0041", "\x0c"]


def nested(kind, depth):
    return {
        "not": "(not " * depth + "true" + ")" * depth,
        "plus": "(+ 1 " * depth + "1" + ")" * depth,
        "let": "(let ((a true)) " * depth + "a" + ")" * depth,
        "forall": "(forall ((x Int)) " * depth + "true" + ")" * depth,
        "bang": "(! " * depth + "true" + " :named n)" * depth,
        "open": "(" * depth,
        "close": ")" * depth,
    }[kind]


def seeds(corpus, count, number):
    """Pairs of a kind and a text: `write` tries to write a file, `spoof` to be believed an answer."""
    rng, sat = random.Random(number), "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 5))\n"
    for command in FILE_COMMANDS:
        for spell in SPELLINGS:
            yield "write", spell(command) + sat + '(echo "GOTCHA")\n(check-sat)\n(get-model)\n'
    for spoof in SPOOFS:
        yield "spoof", sat + spoof + "\n(check-sat)\n"
        yield "spoof", sat + "(check-sat)\n" + spoof + "\n"
    for sort in WIDE:
        for width in WIDTHS:
            s = sort.format(w=width)
            yield "wide", f"(set-logic ALL)(declare-const x {s})(declare-const y {s})(assert (distinct x y))(check-sat)"
    for kind in ["not", "plus", "let", "forall", "bang", "open", "close"]:
        for depth in [100, 10_000, 300_000]:
            yield "deep", f"(set-logic ALL)(assert {nested(kind, depth)})(check-sat)"
    for control in CONTROLS:
        for place in ['(assert (= "{c}" "b"))', "(declare-const |a{c}b| Bool)(assert |a{c}b|)", "; {c}\n(assert true)", "(assert {c})",
                      '(set-info :source |{c}|)(assert false)(check-sat)(set-info :status sat)']:
            yield "control", "(set-logic ALL)" + place.format(c=control) + "(check-sat)"
    done = len(FILE_COMMANDS) * len(SPELLINGS) + 2 * len(SPOOFS) + len(WIDE) * len(WIDTHS) + 21 + 5 * len(CONTROLS)
    for index in range(max(0, count - done)):
        yield "damaged", damaged(rng.choice(corpus), rng, index)


def damaged(text, rng, index):
    """A script with another logic, cut, with bytes changed, or with a part repeated."""
    if index % 4 == 0 and "(set-logic " in text:
        head, rest = text.split("(set-logic ", 1)
        return head + "(set-logic " + rng.choice(LOGICS) + rest[rest.index(")"):]
    at = rng.randrange(len(text))
    if index % 4 == 1:
        return text[:at]
    if index % 4 == 2:
        letters = list(text)
        for _ in range(rng.randrange(1, 6)):
            letters[rng.randrange(len(letters))] = rng.choice("()|\"; 09azAZ-#:\n\x00é\x1b")
        return "".join(letters)
    part = text[at:at + rng.randrange(1, 200)]
    return text[:at] + part * rng.randrange(2, 50) + text[at:]


MODEL_SCRIPT = "(set-logic ALL)(declare-fun x () Int)(declare-fun b () Bool)(declare-fun f (Int) Int)(assert (< x 0))(assert (not b))(check-sat)"
# x = 1 and b = true: both assertions are false, whatever else the model says.
FALSE_PART = "(define-fun x () Int 1)(define-fun b () Bool true)"
OPERATORS = ["<", ">", "<=", "=", "not", "and", "or", "ite", "+", "-", "*", "true", "false", "distinct", "=>", "xor", "div", "mod", "abs", "f"]
MODEL_PARTS = [
    "(define-fun {o} ((a Int) (b Int)) Bool true)", "(define-fun {o} ((a Bool)) Bool true)", "(define-fun {o} () Bool true)",
    "(define-fun |{o}| ((a Int) (b Int)) Bool true)", "(define-fun-rec {o} ((a Int) (b Int)) Bool ({o} b a))",
]
ODD_MODELS = [
    "(define-fun x () Int (f x))(define-fun f ((a Int)) Int (f a))", "(define-fun x () Int " + nested("plus", 50_000) + ")",
    "(define-fun x () Real 1.5)", "(define-fun x () Int " + "9" * 200_000 + ")", "(define-fun x () Int (- (- (- 1))))",
    "(define-fun x () Int @a)", "(define-fun x () Int (as @x Int))", "(define-fun f ((a Int)) Int (_ as-array f))",
    "(define-fun x () (_ BitVec 4294967295) (_ bv1 4294967295))", "(define-fun x () Int (let ((a a)) a))", "(forall ((a Int)) true)",
    "(define-fun x () Int \x1b[2J)", "(define-fun |\x1b[2J| () Int 1)", "unsat", "(error \"no\")", "((((((((((", "))))))", "", "\x00\x00",
    "(define-fun x () Int (ite b 1 (ite (not b) 2 (f 3))))", "(declare-datatypes ((D 0)) (((c (s D)))))(define-fun d () D (c (s d)))",
    "(define-fun x () Int (int.pow2 99999999999))", "(define-fun x () Int (^ 9 999999999))", "(define-sort Int () Bool)",
]


def models(count, number):
    """Pairs of a model and whether its values of x and b are those of FALSE_PART."""
    rng = random.Random(number)
    whole = []
    for operator in OPERATORS:
        for part in MODEL_PARTS:
            whole.append(f"({FALSE_PART}{part.format(o=operator)})")
    for odd in ODD_MODELS:
        yield f"({odd})", False
        yield f"(model {odd}", False
    for model in whole:
        yield model, True
    for _ in range(max(0, count - len(whole) - 2 * len(ODD_MODELS))):
        yield damaged(rng.choice(whole + [f"({odd})" for odd in ODD_MODELS if odd]), rng, rng.randrange(1, 4)), False


# Shell programs that stand for solvers. $F is a file of the user's that none of them may change.
SOLVER_BODIES = {
    "sat": "cat >/dev/null; echo sat", "unsat": "echo unsat", "both": "echo sat; echo unsat", "nothing": ":", "silent": "cat >/dev/null",
    "garbage": "head -c 4000 /dev/urandom", "flood": "yes sat", "flood2": "yes >&2", "longline": "head -c 9000000 /dev/zero", "hang": "sleep 60",
    "spin": "while :; do :; done", "exit1": "exit 1", "exit255": "exit 255", "segv": "kill -SEGV $$", "abort": "kill -ABRT $$",
    "kill": "kill -9 $$", "stop": "kill -STOP $$", "term": "trap '' TERM; sleep 60", "daemon": "setsid sleep 60 & echo sat",
    "daemons": "for i in 1 2 3 4 5 6 7 8; do (setsid sleep 60 >/dev/null 2>&1 &) ; done; echo sat", "parent": "kill -9 $PPID; echo sat",
    "closeout": "exec >&-; sleep 1; echo sat", "closein": "exec <&-; echo sat", "write": 'echo GOTCHA > "$F"; echo sat', "append": 'echo GOTCHA >> "$F"; echo sat',
    "remove": 'rm -f "$F"; echo sat', "link": 'ln -sf "$F" "$PWD/script.smt2"; echo GOTCHA > "$PWD/script.smt2"; echo sat', "cwd": 'rm -rf "$PWD"; echo sat',
    "fill": "head -c 50000000 /dev/zero > fill; echo sat", "many": "for i in $(seq 300); do : > f$i; done; echo sat", "dirs": "mkdir -p a/b/c/d; chmod 0 a; echo sat",
    "net": "exec 3<>/dev/tcp/127.0.0.1/22; echo sat", "escape": "printf '\\033[2J\\033]0;x\\007sat\\n(error \"\\033[31m\")\\n'", "bidi": "printf '\\342\\200\\256tas\\nsat\\n'",
    "nul": "printf 'sat\\0\\n'", "crlf": "printf 'sat\\r\\n'", "half": "printf sa; sleep 1; echo t", "drip": "for i in 1 2 3; do echo ';'; sleep 0.2; done; echo sat",
    "memory": "x=a; while :; do x=$x$x; done", "error": "echo '(error \"line 1: bad\")'", "model": "echo sat; echo '((define-fun < ((a Int) (b Int)) Bool true))'",
    "marks": "cat; echo sat", "repeat": "cat; cat; echo unsat", "env": "env; echo sat", "self": "cat /proc/self/environ /proc/$PPID/environ; echo sat",
}
