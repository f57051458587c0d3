#!/usr/bin/env python3
"""The hunt by exhaustion: small scripts over theories that are rarely tested, decided by gainsay, against one solver at a time.

    hunt.py GAINSAY Z3 CVC5 OUT SCRIPTS [THEORY...]

GAINSAY, Z3 and CVC5 are programs, OUT is a folder, SCRIPTS the number of scripts for each theory (default: all of THEORIES). Script n
of a theory depends on n alone. OUT/hunt.jsonl has one line for each batch of a theory, so that a hunt goes on where it stopped;
OUT/THEORY has the scripts with another answer and those that crash. Prints these, and at the end one line for each theory.
"""

import json
import os
import random
import resource
import subprocess
import sys

from compare import decide
from own_theories import ask

BATCH = 50
OPTIONS = {"z3": ["-t:2000"], "cvc5": ["--tlimit=2000", "--produce-models"]}
BOOL, INT = "Bool", "Int"
BV1, BV2 = "(_ BitVec 1)", "(_ BitVec 2)"
FP, RM = "(_ FloatingPoint 2 3)", "RoundingMode"
ENUM = "(declare-datatypes ((E 0)) (((e1) (e2) (e3))))\n"


class Theory:
    """Sorts with literals, bounds and operators, all given as templates."""

    def __init__(self, solvers, sorts, head="", variables=2, assertions=(1, 3), depth=3, quantified=()):
        self.solvers, self.sorts, self.head = solvers, sorts, head
        self.variables, self.assertions, self.depth, self.quantified = variables, assertions, depth, quantified
        self.literals = {BOOL: ["true", "false"]}
        self.bounds, self.operators, self.logic = {}, [], "ALL"
        self.add(BOOL, "(not {%s})" % BOOL, "(and {%s} {%s})" % (BOOL, BOOL), "(or {%s} {%s})" % (BOOL, BOOL),
                 "(xor {%s} {%s})" % (BOOL, BOOL))
        for sort in sorts:
            self.add(BOOL, *["(= {%s} {%s})" % (sort, sort)] * 2, "(distinct {%s} {%s})" % (sort, sort),
                     "(distinct {%s} {%s} {%s})" % (sort, sort, sort))
            self.add(sort, "(ite {%s} {%s} {%s})" % (BOOL, sort, sort))

    def add(self, sort, *templates):
        self.operators += [(sort, template) for template in templates]
        return self

    def literal(self, sort, *texts):
        self.literals.setdefault(sort, []).extend(texts)
        return self

    def bound(self, sort, template):
        self.bounds[sort] = template
        return self

    def in_logic(self, logic):
        self.logic = logic
        return self

    def script(self, rng):
        names = {sort: [] for sort in self.sorts}
        text, bounds = f"(set-logic {self.logic})\n{self.head}", ""
        for number, sort in enumerate(sort for sort in self.sorts for _ in range(self.variables)):
            names[sort].append(f"x{number}")
            text += f"(declare-const x{number} {sort})\n"
            if sort in self.bounds:
                bounds += f"(assert {self.bounds[sort].replace('?', f'x{number}')})\n"
        text += bounds
        for _ in range(rng.randint(*self.assertions)):
            text += f"(assert {self.term(rng, BOOL, rng.randint(2, self.depth), names)})\n"
        return text + "(check-sat)\n"

    def term(self, rng, sort, depth, names):
        leaves = names.get(sort, []) * 2 + self.literals.get(sort, [])
        fitting = [template for result, template in self.operators if result == sort]
        if not fitting or leaves and (depth <= 0 or rng.random() < 0.15 and (sort != BOOL or depth < 2)):
            return rng.choice(leaves)
        if self.quantified and sort == BOOL and depth > 1 and rng.random() < 0.15:
            kind, own = rng.choice(self.quantified), f"q{depth}"
            inner = {**names, kind: names.get(kind, []) + [own] * 3}
            return f"({rng.choice(['forall', 'exists'])} (({own} {kind})) {self.term(rng, BOOL, depth - 1, inner)})"
        template = rng.choice(fitting)
        for _ in range(4):
            text, arguments = self.fill(rng, template, depth, names)
            if not template.startswith(("(=", "(not (=", "(distinct")) or len(set(arguments)) == len(arguments):
                break
        return text

    def fill(self, rng, template, depth, names):
        """Replaces each {SORT} by a term; in {SORT|NAME OTHER} the term may use a variable of another sort."""
        text, arguments = "", []
        while "{" in template:
            before, rest = template.split("{", 1)
            hole, template = rest.split("}", 1)
            sort, _, binder = hole.partition("|")
            inner = names
            if binder:
                name, other = binder.split(" ", 1)
                inner = {**names, other: names.get(other, []) + [name] * 3}
            arguments.append(self.term(rng, sort, depth - 1, inner))
            text += before + arguments[-1]
        return text + template, arguments


def finite_sets(element, literals, own=None):
    """z3's finite sets over a small sort."""
    s = f"(FiniteSet {element})"
    theory = Theory(["z3"], [s, element, INT], head=ENUM if element == "E" else "", depth=4)
    theory.literal(element, *literals).literal(INT, "0", "1", "2", "3").literal(s, f"(as set.empty {s})")
    theory.bound(INT, "(<= (- 1) ? 4)")
    theory.add(s, "(set.singleton {%s})" % element, "(set.union {%s} {%s})" % (s, s), "(set.intersect {%s} {%s})" % (s, s),
               "(set.difference {%s} {%s})" % (s, s), "(set.filter (lambda ((y %s)) {%s|y %s}) {%s})" % (element, BOOL, element, s),
               "(set.map (lambda ((y %s)) {%s|y %s}) {%s})" % (element, element, element, s))
    theory.add(BOOL, *["(= (set.size {%s}) {%s})" % (s, INT)] * 3, "(set.in {%s} {%s})" % (element, s), "(set.subset {%s} {%s})" % (s, s),
               "(<= {%s} (set.size {%s}))" % (INT, s), "(not (= {%s} {%s}))" % (s, s))
    theory.add(INT, "(set.size {%s})" % s, "(+ {%s} {%s})" % (INT, INT))
    return theory


def ranges():
    """z3's finite sets of integers, with ranges."""
    s = "(FiniteSet Int)"
    theory = finite_sets(INT, [])
    theory.sorts = [s, INT]
    theory.bound(s, "(set.subset ? (set.range 0 2))").bound(INT, "(<= (- 1) ? 3)")
    return theory.add(s, *["(set.range {%s} {%s})" % (INT, INT)] * 3)


def arrays(index, value, literals, own):
    """Arrays between small sorts; with `own`, z3's lambdas and maps."""
    a = f"(Array {index} {value})"
    sorts = list(dict.fromkeys([a, index, value]))
    theory = Theory(["z3"] if own else ["z3", "cvc5"], sorts, variables=3, quantified=[index])
    for sort, texts in literals.items():
        theory.literal(sort, *texts)
    theory.add(a, "(store {%s} {%s} {%s})" % (a, index, value), "((as const %s) {%s})" % (a, literals and value))
    theory.add(value, "(select {%s} {%s})" % (a, index))
    theory.add(BOOL, "(distinct {%s} {%s} {%s} {%s})" % (a, a, a, a), "(distinct {%s} {%s} {%s} {%s} {%s})" % (a, a, a, a, a))
    if own:
        theory.add(a, *["(lambda ((y %s)) {%s|y %s})" % (index, value, index)] * 2, "((_ map (ite (Bool %s %s) %s)) %s {%s} {%s})" % (
            value, value, value, f"((as const (Array {index} Bool)) true)", a, a))
        if value == BOOL:
            theory.add(a, "((_ map and) {%s} {%s})" % (a, a), "((_ map not) {%s})" % a, "((_ map xor) {%s} {%s})" % (a, a))
        if value == BV2:
            theory.add(a, "((_ map bvadd) {%s} {%s})" % (a, a), "((_ map bvmul) {%s} {%s})" % (a, a))
    else:
        # cvc5 has constant arrays beside quantifiers only with an option that it calls experimental.
        theory.operators = [(sort, one) for sort, one in theory.operators if "as const" not in one]
    return theory


def floats(solvers):
    theory = Theory(solvers, [FP, RM, BV2], quantified=[FP])
    theory.literal(RM, "RNE", "RNA", "RTP", "RTN", "RTZ").literal(BV2, "#b00", "#b01", "#b10", "#b11")
    theory.literal(FP, *["(_ %s 2 3)" % name for name in ("+zero", "-zero", "+oo", "-oo", "NaN")], "(fp #b0 #b01 #b01)", "(fp #b1 #b00 #b11)")
    theory.add(FP, *["(fp.%s {%s} {%s} {%s})" % (name, RM, FP, FP) for name in ("add", "sub", "mul", "div")],
               "(fp.fma {%s} {%s} {%s} {%s})" % (RM, FP, FP, FP), "(fp.sqrt {%s} {%s})" % (RM, FP), "(fp.rem {%s} {%s})" % (FP, FP),
               "(fp.roundToIntegral {%s} {%s})" % (RM, FP), "(fp.abs {%s})" % FP, "(fp.neg {%s})" % FP, "(fp.min {%s} {%s})" % (FP, FP),
               "((_ to_fp 2 3) {%s} {%s})" % (RM, BV2), "((_ to_fp_unsigned 2 3) {%s} {%s})" % (RM, BV2),
               "((_ to_fp 2 3) {%s} ((_ to_fp 3 4) {%s} {%s}))" % (RM, RM, FP))
    theory.add(BV2, "((_ fp.to_ubv 2) {%s} {%s})" % (RM, FP), "((_ fp.to_sbv 2) {%s} {%s})" % (RM, FP), "(bvadd {%s} {%s})" % (BV2, BV2))
    return theory.add(BOOL, *["(fp.%s {%s} {%s})" % (name, FP, FP) for name in ("lt", "leq", "eq")],
                      *["(fp.is%s {%s})" % (name, FP) for name in ("Normal", "Subnormal", "Zero", "Infinite", "NaN", "Negative")])


def strings():
    s, r = "String", "RegLan"
    theory = Theory(["z3", "cvc5"], [s, INT], variables=2, depth=4)
    theory.literal(s, '""', '"a"', '"b"', '"ab"', '"aa"').literal(INT, "0", "1", "2", "(- 1)").literal(r, "re.none", "re.allchar", "re.all")
    theory.bound(s, '(and (<= (str.len ?) 2) (str.in_re ? (re.* (re.union (str.to_re "a") (str.to_re "b")))))').bound(INT, "(<= (- 1) ? 3)")
    theory.add(s, "(str.++ {%s} {%s})" % (s, s), "(str.at {%s} {%s})" % (s, INT), "(str.substr {%s} {%s} {%s})" % (s, INT, INT),
               "(str.replace {%s} {%s} {%s})" % (s, s, s), "(str.replace_all {%s} {%s} {%s})" % (s, s, s),
               "(str.replace_re {%s} {%s} {%s})" % (s, r, s), "(str.replace_re_all {%s} {%s} {%s})" % (s, r, s), "(str.from_int {%s})" % INT,
               "(str.from_code {%s})" % INT)
    theory.add(r, "(str.to_re {%s})" % s, "(re.++ {%s} {%s})" % (r, r), "(re.union {%s} {%s})" % (r, r), "(re.inter {%s} {%s})" % (r, r),
               "(re.* {%s})" % r, "(re.+ {%s})" % r, "(re.opt {%s})" % r, "(re.comp {%s})" % r, "(re.diff {%s} {%s})" % (r, r),
               "((_ re.^ 2) {%s})" % r, "((_ re.loop 1 2) {%s})" % r, '(re.range "a" "b")')
    theory.add(INT, "(str.len {%s})" % s, "(str.indexof {%s} {%s} {%s})" % (s, s, INT), "(str.to_int {%s})" % s, "(str.to_code {%s})" % s,
               "(+ {%s} {%s})" % (INT, INT))
    return theory.add(BOOL, "(str.prefixof {%s} {%s})" % (s, s), "(str.suffixof {%s} {%s})" % (s, s), "(str.contains {%s} {%s})" % (s, s),
                      "(str.< {%s} {%s})" % (s, s), "(str.<= {%s} {%s})" % (s, s), *["(str.in_re {%s} {%s})" % (s, r)] * 3,
                      "(str.is_digit {%s})" % s, "(< {%s} {%s})" % (INT, INT))


def sequences(element, literals, own):
    """Sequences; with `own`, z3's functions over their elements."""
    s = f"(Seq {element})"
    theory = Theory(["z3"] if own else ["z3", "cvc5"], list(dict.fromkeys([s, element, INT])), depth=4)
    theory.literal(element, *literals).literal(INT, "0", "1", "2", "(- 1)").literal(s, f"(as seq.empty {s})")
    theory.bound(s, "(<= (seq.len ?) 2)").bound(INT, "(<= (- 1) ? 3)")
    theory.add(s, "(seq.unit {%s})" % element, "(seq.++ {%s} {%s})" % (s, s), "(seq.at {%s} {%s})" % (s, INT),
               "(seq.extract {%s} {%s} {%s})" % (s, INT, INT), "(seq.replace {%s} {%s} {%s})" % (s, s, s))
    theory.add(INT, "(seq.len {%s})" % s, "(seq.indexof {%s} {%s} {%s})" % (s, s, INT), "(+ {%s} {%s})" % (INT, INT))
    theory.add(BOOL, "(seq.prefixof {%s} {%s})" % (s, s), "(seq.suffixof {%s} {%s})" % (s, s), "(seq.contains {%s} {%s})" % (s, s),
               "(< {%s} {%s})" % (INT, INT))
    if own:
        theory.add(s, *["(seq.map (lambda ((y %s)) {%s|y %s}) {%s})" % (element, element, element, s)] * 2,
                   "(seq.mapi (lambda ((i Int) (y %s)) {%s|y %s}) {%s} {%s})" % (element, element, element, INT, s))
        theory.add(element, *["(seq.foldl (lambda ((z %s) (y %s)) {%s|y %s}) {%s} {%s})" % (element, element, element, element, element, s)] * 2,
                   "(seq.foldl (lambda ((y %s) (z %s)) {%s|y %s}) {%s} {%s})" % (element, element, element, element, element, s))
    if element == BV1:
        theory.add(BV1, "(bvadd {%s} {%s})" % (BV1, BV1), "(bvnot {%s})" % BV1)
    return theory


def sums():
    theory = Theory(["z3"], [BOOL], variables=5, assertions=(2, 5), depth=3)
    b = BOOL
    for k in range(4):
        theory.add(b, "((_ at-most %d) {%s} {%s} {%s})" % (k, b, b, b), "((_ at-least %d) {%s} {%s} {%s})" % (k, b, b, b),
                   "((_ pble %d 2 -1 3) {%s} {%s} {%s})" % (k, b, b, b), "((_ pbge %d 2 -2 1) {%s} {%s} {%s})" % (k, b, b, b),
                   "((_ pbeq %d 1 -1 2 3) {%s} {%s} {%s} {%s})" % (k, b, b, b, b), "((_ pbeq %d 2 2 -1) {%s} {%s} {%s})" % (-k, b, b, b))
    return theory


def datatypes(head, sorts, terms, solvers=("z3", "cvc5"), literals=()):
    theory = Theory(list(solvers), sorts, head=head, variables=3, quantified=sorts)
    for sort, text in literals:
        theory.literal(sort, text)
    for sort, text in terms:
        theory.add(sort, text)
    return theory


MAYBE = ("(declare-datatypes ((Maybe 1) (Pair 2)) ((par (X) ((none) (some (val X)))) (par (X Y) ((pair (fst X) (snd Y))))))\n")
MB, PR = "(Maybe Bool)", "(Pair Bool (Maybe Bool))"
NESTED = "(declare-datatypes ((D 0)) (((c (f (Array Bool Bool))) (d (g Bool)))))\n"
AB = "(Array Bool Bool)"


def bags(element, literals):
    s = f"(Bag {element})"
    theory = Theory(["cvc5"], [s, element, INT]).in_logic("HO_ALL")
    theory.literal(element, *literals).literal(INT, "0", "1", "2", "(- 1)").literal(s, f"(as bag.empty {s})")
    theory.bound(INT, "(<= (- 1) ? 3)")
    first, second = literals[:2]
    theory.bound(s, f"(bag.subbag ? (bag.union_disjoint (bag {first} 2) (bag {second} 1)))")
    theory.add(s, "(bag {%s} {%s})" % (element, INT), *["(bag.%s {%s} {%s})" % (name, s, s) for name in (
        "union_max", "union_disjoint", "inter_min", "difference_subtract", "difference_remove")], "(bag.setof {%s})" % s,
               "(bag.map (lambda ((y %s)) {%s|y %s}) {%s})" % (element, element, element, s),
               "(bag.filter (lambda ((y %s)) {%s|y %s}) {%s})" % (element, BOOL, element, s))
    theory.add(INT, "(bag.count {%s} {%s})" % (element, s), "(bag.card {%s})" % s)
    return theory.add(BOOL, "(bag.member {%s} {%s})" % (element, s), "(bag.subbag {%s} {%s})" % (s, s), "(< {%s} {%s})" % (INT, INT))


def sets(element, literals, head=""):
    s = f"(Set {element})"
    theory = Theory(["cvc5"], [s, element, INT], head=head).in_logic("HO_ALL")
    theory.literal(element, *literals).literal(INT, "0", "1", "2", "3").literal(s, f"(as set.empty {s})").bound(INT, "(<= (- 1) ? 4)")
    theory.add(s, "(set.singleton {%s})" % element, "(set.insert {%s} {%s})" % (element, s), *["(set.%s {%s} {%s})" % (name, s, s) for name in (
        "union", "inter", "minus")], "(set.map (lambda ((y %s)) {%s|y %s}) {%s})" % (element, element, element, s),
               "(set.filter (lambda ((y %s)) {%s|y %s}) {%s})" % (element, BOOL, element, s))
    theory.add(INT, *["(set.card {%s})" % s] * 2)
    return theory.add(BOOL, "(set.member {%s} {%s})" % (element, s), "(set.subset {%s} {%s})" % (s, s), "(set.is_singleton {%s})" % s,
                      "(set.all (lambda ((y %s)) {%s|y %s}) {%s})" % (element, BOOL, element, s),
                      "(set.some (lambda ((y %s)) {%s|y %s}) {%s})" % (element, BOOL, element, s),
                      "(distinct {%s} {%s} {%s} {%s})" % (s, s, s, s), "(< {%s} {%s})" % (INT, INT))


def bits():
    theory = Theory(["z3", "cvc5"], [BV2, INT], quantified=[BV2], depth=4)
    theory.literal(BV2, "#b00", "#b01", "#b10", "#b11").literal(INT, "0", "1", "2", "(- 1)").bound(INT, "(<= (- 2) ? 5)")
    theory.add(BV2, *["(bv%s {%s} {%s})" % (name, BV2, BV2) for name in ("add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod", "shl", "lshr", "ashr")],
               "((_ int_to_bv 2) {%s})" % INT, "((_ rotate_left 1) {%s})" % BV2, "((_ extract 2 1) (concat {%s} {%s}))" % (BV2, BV2))
    theory.add(INT, "(ubv_to_int {%s})" % BV2, "(sbv_to_int {%s})" % BV2, "(+ {%s} {%s})" % (INT, INT), "(* {%s} {%s})" % (INT, INT),
               "(div {%s} 2)" % INT, "(mod {%s} 3)" % INT, "(abs {%s})" % INT)
    return theory.add(BOOL, *["(bv%s {%s} {%s})" % (name, BV2, BV2) for name in ("ult", "slt", "uaddo", "saddo", "umulo", "smulo", "usubo", "ssubo", "sdivo")],
                      "(bvnego {%s})" % BV2, "(< {%s} {%s})" % (INT, INT), "((_ divisible 2) {%s})" % INT)


def fields():
    f = "(_ FiniteField 3)"
    theory = Theory(["z3"], [f], variables=3, assertions=(2, 4))
    theory.literal(f, "(as ff0 %s)" % f, "(as ff1 %s)" % f, "(as ff2 %s)" % f)
    return theory.add(f, "(ff.add {%s} {%s})" % (f, f), "(ff.mul {%s} {%s})" % (f, f), "(ff.neg {%s})" % f, "(ff.add {%s} {%s} {%s})" % (f, f, f))


class Composed(Theory):
    """Constants of one sort that is composed from others, such as arrays of records of rounding modes: does a solver know how many values
    there are, and which of them are equal?"""

    BASES = {BOOL: (2, ["true", "false"]), BV1: (2, ["#b0", "#b1"]), RM: (5, ["RNE", "RNA", "RTP", "RTN", "RTZ"]), "E": (3, ["e1", "e2", "e3"]),
             "U": (1, ["u"]), "(_ FloatingPoint 2 2)": (15, ["(_ NaN 2 2)", "(_ -zero 2 2)"])}
    HEAD = ENUM + "(declare-datatypes ((U 0)) (((u))))\n(declare-datatypes ((R 1) (M 1)) ((par (X) ((rec (arg X)))) (par (X) ((none) (some (val X))))))\n"

    def __init__(self, solvers, forms):
        super().__init__(solvers, [])
        self.forms = forms

    def composed(self, rng):
        """A sort with at most 16 values, and the sorts that it is made from."""
        sort = rng.choice(sorted(self.BASES))
        count, parts = self.BASES[sort][0], [sort]
        for _ in range(rng.randint(1, 2)):
            form = rng.choice(self.forms)
            sizes = {"R": count, "M": count + 1, "index": 2 ** count, "value": count ** 2, "FiniteSet": 2 ** count, "Set": 2 ** count, "Seq": count + 1}
            if sizes[form] > 16:
                continue
            texts = {"index": f"(Array {sort} Bool)", "value": f"(Array Bool {sort})"}
            count, sort = sizes[form], texts.get(form, f"({form} {sort})")
            parts.append(sort)
        return parts

    def script(self, rng):
        parts = self.composed(rng)
        self.operators, self.literals, self.sorts, self.variables = [], {BOOL: ["true", "false"]}, parts, rng.randint(1, 3)
        self.literals.setdefault(parts[0], []).extend(self.BASES[parts[0]][1])
        self.head, self.depth = self.HEAD, rng.randint(2, 3)
        for part in parts:
            if part.startswith("(Seq"):
                self.bound(part, "(<= (seq.len ?) 1)")
            same = ["(= {%s} {%s})" % (part, part), "(not (= {%s} {%s}))" % (part, part)]
            self.add(BOOL, *same, *same, "(distinct {%s} {%s} {%s})" % (part, part, part), "(p%d {%s})" % (parts.index(part), part))
        for inner, outer in zip(parts, parts[1:]):
            self.compose(inner, outer)
        for number, part in enumerate(parts):
            self.head += f"(declare-fun p{number} ({part}) Bool)\n"
        self.assertions = (2, 6)
        return super().script(rng)

    def compose(self, inner, outer):
        form = outer[1:].split()[0]
        if form == "R":
            self.add(outer, "(rec {%s})" % inner).add(inner, "(arg {%s})" % outer)
        elif form == "M":
            self.add(outer, "(some {%s})" % inner).add(inner, "(val {%s})" % outer).add(BOOL, "((_ is some) {%s})" % outer)
            self.literal(outer, f"(as none {outer})")
        elif outer == f"(Array {inner} Bool)":
            self.add(BOOL, "(select {%s} {%s})" % (outer, inner)).add(outer, "(store {%s} {%s} {Bool})" % (outer, inner))
        elif form == "Array":
            self.add(inner, "(select {%s} {Bool})" % outer).add(outer, "(store {%s} {Bool} {%s})" % (outer, inner))
        elif form == "Seq":
            self.add(outer, "(seq.unit {%s})" % inner).literal(outer, f"(as seq.empty {outer})")
        else:
            member = "set.in" if form == "FiniteSet" else "set.member"
            self.add(outer, "(set.singleton {%s})" % inner, "(set.union {%s} {%s})" % (outer, outer)).literal(outer, f"(as set.empty {outer})")
            self.add(BOOL, "(%s {%s} {%s})" % (member, inner, outer))


BITS = {BV2: ["#b00", "#b01", "#b10", "#b11"], BOOL: ["true", "false"], BV1: ["#b0", "#b1"], RM: ["RNE", "RTP"]}
THEORIES = {
    "sets-bool": finite_sets(BOOL, ["true", "false"]),
    "sets-bv": finite_sets(BV2, BITS[BV2]).add(BV2, "(bvadd {%s} {%s})" % (BV2, BV2), "(bvnot {%s})" % BV2),
    "sets-enum": finite_sets("E", ["e1", "e2", "e3"]),
    "sets-range": ranges(),
    "lambda-bool": arrays(BOOL, BOOL, BITS, True),
    "lambda-bv": arrays(BV1, BV2, BITS, True),
    "arrays-bool": arrays(BOOL, BOOL, BITS, False),
    "arrays-bv": arrays(BV1, BV2, BITS, False),
    "arrays-rm": arrays(RM, BOOL, BITS, False),
    "folds-bool": sequences(BOOL, ["true", "false"], True),
    "folds-bv": sequences(BV1, ["#b0", "#b1"], True),
    "sequences": sequences(BV1, ["#b0", "#b1"], False),
    "sums": sums(),
    "fields": fields(),
    "floats": floats(["z3"]),
    "strings": strings(),
    "bits": bits(),
    "parametric": datatypes(MAYBE, [MB, PR, BOOL], [
        (MB, "(some {Bool})"), (PR, "(pair {Bool} {%s})" % MB), (BOOL, "((_ is some) {%s})" % MB), (BOOL, "(val {%s})" % MB),
        (BOOL, "(fst {%s})" % PR), (MB, "(snd {%s})" % PR), (BOOL, "(distinct {%s} {%s} {%s} {%s})" % (MB, MB, MB, MB)),
        (BOOL, "(match {%s} (((some v) {Bool|v Bool}) (none {Bool})))" % MB)], literals=[(MB, f"(as none {MB})")]),
    "nested": datatypes(NESTED, ["D", AB, BOOL], [
        ("D", "(c {%s})" % AB), ("D", "(d {Bool})"), (AB, "(f {D})"), (BOOL, "(g {D})"), (BOOL, "((_ is c) {D})"), (BOOL, "(select {%s} {Bool})" % AB),
        (AB, "(store {%s} {Bool} {Bool})" % AB), (BOOL, "(distinct {D} {D} {D} {D} {D})"), (BOOL, "(distinct {%s} {%s} {%s} {%s} {%s})" % (AB, AB, AB, AB, AB))],
        literals=[(AB, f"((as const {AB}) true)")]),
    "composed": Composed(["z3", "cvc5"], ["R", "M", "index", "value"]),
    "composed-seq": Composed(["z3", "cvc5"], ["R", "M", "value", "Seq", "Seq"]),
    "composed-sets": Composed(["z3"], ["R", "M", "index", "value", "FiniteSet", "FiniteSet"]),
    "composed-cvc5-sets": Composed(["cvc5"], ["R", "M", "value", "Set", "Set"]),
    "bags-bool": bags(BOOL, ["true", "false"]),
    "bags-bv": bags(BV1, ["#b0", "#b1"]),
    "cvc5-sets-bool": sets(BOOL, ["true", "false"]),
    "cvc5-sets-bv": sets(BV1, ["#b0", "#b1"]),
    "cvc5-sets-enum": sets("E", ["e1", "e2", "e3"], ENUM),
}


def scripts(name, theory, folder, start, count):
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number in range(start, min(start + BATCH, count)):
        paths.append(os.path.join(folder, f"{number:06}.smt2"))
        with open(paths[-1], "w") as file:
            file.write(theory.script(random.Random(f"{name} {number}")))
    return paths


def batch(gainsay, programs, theory, paths):
    """The counts of a batch; only scripts with a difference or a crash stay."""
    exact = decide(gainsay, paths)
    counts = {"scripts": len(paths), "decided": len(exact)}
    for solver in theory.solvers:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        kinds = counts[solver] = dict.fromkeys(("same", "other", "crash", "error", "none"), 0)
        for path in paths:
            if not os.path.exists(path):
                continue
            answer, why = ask(programs[solver], OPTIONS[solver], path)
            known = exact.get(path)
            kind = answer if answer in ("crash", "error") else "none"
            if answer in ("sat", "unsat") and known:
                kind = "same" if answer == known else "other"
            kinds[kind] += kind != "none" or known is not None
            if kind in ("other", "crash") or kind == "error" and "error" not in counts:
                counts.setdefault(kind, []).append(path)
                print(f"{kind}: {solver} {path}: {answer} {why}; exact: {known}", flush=True)
        kinds["cpu"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 2)
    kept = {path for kind in ("other", "crash", "error") for path in counts.get(kind, [])}
    for path in paths:
        if path not in kept:
            os.remove(path)
    return counts


def main():
    gainsay, z3, cvc5, out, count = sys.argv[1:6]
    programs, record = {"z3": z3, "cvc5": cvc5}, os.path.join(out, "hunt.jsonl")
    os.makedirs(out, exist_ok=True)
    done = []
    if os.path.exists(record):
        with open(record) as file:
            done = [json.loads(line) for line in file]
    names = sys.argv[6:] or list(THEORIES)
    known = {(line["theory"], line["start"]) for line in done}
    for start in range(0, int(count), BATCH):
        for name in names:
            if (name, start) in known:
                continue
            paths = scripts(name, THEORIES[name], os.path.join(out, name), start, int(count))
            line = {"theory": name, "start": start, **batch(gainsay, programs, THEORIES[name], paths)}
            done.append(line)
            with open(record, "a") as file:
                file.write(json.dumps(line) + "\n")
    for name in names:
        lines = [line for line in done if line["theory"] == name]
        total = {key: sum(line[key] for line in lines) for key in ("scripts", "decided")}
        for solver in THEORIES[name].solvers:
            kinds = {key: round(sum(line[solver][key] for line in lines), 1) for key in ("same", "other", "crash", "error", "none", "cpu")}
            print(name, solver, total, kinds)


if __name__ == "__main__":
    main()
