//! Decisions over the theories of one solver. The expected answers are worked out by hand.

use super::tests::check;

#[test]
fn arrays_that_functions_give_are_decided() {
    let two = "(declare-const a (Array Bool (_ BitVec 2)))(declare-const b (Array Bool (_ BitVec 2)))";
    let add = "(_ map (bvadd ((_ BitVec 2) (_ BitVec 2)) (_ BitVec 2)))";
    check(&[
        // Addition commutes at every index; a sum of an array with itself has even elements only.
        (&format!("{two}(assert (distinct ({add} a b) ({add} b a)))"), "unsat"),
        (&format!("{two}(assert (= #b01 (select ({add} a a) true)))"), "unsat"),
        (&format!("{two}(assert (= #b10 (select ({add} a a) true)))"), "sat"),
        // A lambda over the index: no array is its own negation, but one can be its own reversal.
        ("(declare-const a (Array Bool Bool))(assert (= a (lambda ((x Bool)) (not (select a x)))))", "unsat"),
        ("(declare-const a (Array Bool Bool))(assert (= a (lambda ((x Bool)) (select a (not x)))))", "sat"),
        (
            "(declare-const a (Array Bool Bool))(assert (= a (lambda ((x Bool)) (select a (not x)))))\
             (assert (distinct (select a true) (select a false)))",
            "unsat",
        ),
        // A declared function: f is enumerated, also where only an array mentions it.
        (
            "(declare-fun f (Bool) Bool)(declare-const a (Array Bool Bool))\
             (assert (= a ((_ map f) a)))(assert (select a true))(assert (not (f true)))",
            "unsat",
        ),
        (
            "(declare-fun f (Bool) Bool)(assert (= (_ as-array f) (lambda ((x Bool)) (not (f (not x))))))\
             (assert (f true))",
            "sat",
        ),
        ("(declare-fun f (Bool) Bool)(assert (= (_ as-array f) (lambda ((x Bool)) (not (f x)))))", "unsat"),
        // A defined function that refers to a constant.
        (
            "(declare-const c Bool)(define-fun g ((x Bool)) Bool (xor x c))(declare-const a (Array Bool Bool))\
             (assert (= a ((_ map g) a)))(assert c)",
            "unsat",
        ),
    ]);
}

#[test]
fn tuples_relations_and_nullables_are_decided() {
    let pair = "(declare-const p (Tuple Bool Bool))(declare-const q (Tuple Bool Bool))";
    let relations = "(declare-const r (Relation Bool Bool))(declare-const s (Set (Tuple Bool Bool)))(declare-const t (Relation Bool))";
    let with = |declared: &str, assertion: &str| format!("{declared}(assert {assertion})");
    check(&[
        (
            &with(pair, "(and (= ((_ tuple.select 0) p) ((_ tuple.select 1) p)) (= p (tuple true false)))"),
            "unsat",
        ),
        (&with(pair, "(and (= q ((_ tuple.update 1) p true)) (distinct p q))"), "sat"),
        (
            &with(
                pair,
                "(and (= q ((_ tuple.project 1 0) p)) (= p ((_ tuple.project 1 0) q)) (distinct p q))",
            ),
            "sat",
        ),
        // There are four pairs.
        (&with(pair, "(distinct p q (tuple true true) (tuple true false) (tuple false true))"), "unsat"),
        (&with(relations, "(distinct (rel.transpose (rel.transpose r)) r)"), "unsat"),
        (
            &with(
                relations,
                "(distinct (rel.transpose (rel.join r s)) (rel.join (rel.transpose s) (rel.transpose r)))",
            ),
            "unsat",
        ),
        (&with(relations, "(distinct (rel.join r s) (rel.join s r))"), "sat"),
        (&with(relations, "(not (set.subset (rel.join (rel.tclosure r) r) (rel.tclosure r)))"), "unsat"),
        (&with(relations, "(not (set.subset (rel.join r r) r))"), "sat"),
        (
            &with(relations, "(distinct (rel.join r (rel.iden (set.union t ((_ rel.project 1) r)))) r)"),
            "unsat",
        ),
        (&with(relations, "(and (distinct r s) (= (rel.product t t) r) (= (rel.product t t) s))"), "unsat"),
        (
            &with(
                relations,
                "(set.member (tuple true) (set.minus (rel.join_image r 2) ((_ rel.project 0) r)))",
            ),
            "unsat",
        ),
        (&with(relations, "(and (= (set.card (rel.join_image r 2)) 1) (= (set.card r) 3))"), "sat"),
        (
            "(declare-const n (Nullable Bool))(assert (distinct n (as nullable.null (Nullable Bool)) (nullable.some true) (nullable.some false)))",
            "unsat",
        ),
        (
            "(declare-const n (Nullable Bool))(assert (and (nullable.is_some n) (not (nullable.val n))))",
            "sat",
        ),
        ("(declare-const n (Nullable Bool))(assert (= (nullable.is_some n) (nullable.is_null n)))", "unsat"),
        (
            "(declare-const x Int)(declare-const y Int)(assert (= (table.product (bag (tuple x) 2) (bag (tuple y) 3)) (bag (tuple 1 2) 6)))",
            "sat",
        ),
        (
            "(assert (= ((_ table.project 1) (bag.union_disjoint (bag (tuple 1 5) 2) (bag (tuple 2 5) 3))) (bag (tuple 5) 4)))",
            "unsat",
        ),
    ]);
}

#[test]
fn joins_groups_and_lifted_functions_are_decided() {
    let joined = "(bag.union_disjoint (bag (tuple true 1 true) 6) (bag (tuple false 2 false) 2))";
    let table = "(bag.union_disjoint (bag (tuple true 1) 2) (bag (tuple false 2) 1))";
    let relation = "(declare-const r (Relation Bool Bool))";
    let grouped = format!("{relation}(assert (= (set.card ((_ rel.group 0) r))");
    let nullables = "(declare-const n (Nullable Bool))(declare-const m (Nullable Bool))";
    check(&[
        (
            &format!(
                "(assert (= ((_ table.join 0 0) {table} (bag.union_disjoint (bag (tuple true) 3) (bag (tuple false) 2))) {joined}))"
            ),
            "sat",
        ),
        // Every pair of rows, if no columns are compared.
        (
            &format!("(assert (distinct (table.join {table} {table}) (table.product {table} {table})))"),
            "unsat",
        ),
        (
            &format!(
                "{relation}(assert (distinct ((_ rel.project 0 3) ((_ rel.table_join 1 0) r r)) (rel.join r r)))"
            ),
            "unsat",
        ),
        // The empty relation has one group, too: the empty one.
        (&format!("{grouped} 0))"), "unsat"),
        (&format!("{grouped} 2))"), "sat"),
        (&format!("{grouped} 3))"), "unsat"),
        (&format!("(assert (distinct ((_ table.group 1) {table}) (bag {table} 1)))"), "sat"),
        (&format!("(assert (= (table.group {table}) (bag {table} 1)))"), "sat"),
        (
            &format!(
                "{nullables}(assert (distinct ((_ nullable.lift and) n m) (nullable.lift (lambda ((x Bool) (y Bool)) (and x y)) n m)))"
            ),
            "unsat",
        ),
        (
            &format!(
                "{nullables}(assert (and (nullable.is_null n) (nullable.is_some ((_ nullable.lift or) n m))))"
            ),
            "unsat",
        ),
        (
            &format!(
                "{nullables}(assert (= (nullable.lift (lambda ((x Bool)) (not x)) n) m))(assert (distinct n m))"
            ),
            "sat",
        ),
    ]);
}

#[test]
fn an_array_over_too_many_indices_is_undecided() {
    check(&[(
        "(declare-fun f (Int) Bool)(declare-const a (Array Int Int))\
         (assert (distinct ((_ map f) a) ((_ map f) a) ))",
        "unsat",
    )]);
    check(&[(
        "(declare-fun f (Int) Int)(declare-const a (Array Int Int))(assert (distinct a ((_ map f) a)))\
         (assert (= 0 (f 0)))",
        "infinite",
    )]);
}

#[test]
fn finite_sets_are_decided() {
    let sets = "(declare-const s (FiniteSet (_ BitVec 1)))(declare-const t (FiniteSet Int))\
                (assert (set.subset t (set.range 0 2)))";
    check(&[
        (&format!("{sets}(assert (= 3 (set.size s)))"), "unsat"),
        (&format!("{sets}(assert (= 3 (set.size t)))"), "sat"),
        (&format!("{sets}(assert (= 4 (set.size t)))"), "unsat"),
        // The squares of 0, 1, 2 are 0, 1, 4: squaring keeps the size, and {0, 1} is the largest fixed point.
        (
            &format!(
                "{sets}(assert (distinct (set.size t) (set.size (set.map (lambda ((x Int)) (* x x)) t))))"
            ),
            "unsat",
        ),
        (
            &format!("{sets}(assert (and (= 2 (set.size t)) (= t (set.map (lambda ((x Int)) (* x x)) t))))"),
            "sat",
        ),
        (
            &format!("{sets}(assert (and (= 3 (set.size t)) (= t (set.map (lambda ((x Int)) (* x x)) t))))"),
            "unsat",
        ),
        (&format!("{sets}(assert (distinct t (set.filter (lambda ((x Int)) (>= x 0)) t)))"), "unsat"),
        (
            &format!("{sets}(assert (= s (set.difference s (set.singleton #b1))))(assert (set.in #b1 s))"),
            "unsat",
        ),
        (&format!("{sets}(assert (= (set.range 2 1) (set.intersect t t)))(assert (set.in 2 t))"), "unsat"),
        // Unbounded sets of integers: a set is found, but the lack of one proves nothing.
        ("(declare-const t (FiniteSet Int))(assert (= 0 (set.size t)))", "sat"),
        ("(declare-const t (FiniteSet Int))(assert (= 9 (set.size t)))", "infinite"),
    ]);
}

#[test]
fn sets_bags_and_fields_are_decided() {
    let set = "(declare-const s (Set (_ BitVec 1)))";
    let bag =
        "(declare-const b (Bag Bool))(assert (bag.subbag b (bag.union_disjoint (bag true 2) (bag false 1))))";
    let field = "(declare-const x (_ FiniteField 5))";
    check(&[
        // cvc5 chooses the universe.
        (&format!("{set}(assert (= s (set.complement s)))"), "sat with set.complement"),
        (&format!("{set}(assert (= 2 (set.card (set.insert #b0 #b1 s))))"), "sat"),
        (&format!("{bag}(assert (= 4 (bag.card b)))"), "unsat"),
        (&format!("{bag}(assert (and (= 3 (bag.card b)) (= 2 (bag.card (bag.setof b)))))"), "sat"),
        (&format!("{bag}(assert (= 3 (bag.count true b)))"), "unsat"),
        (
            &format!("{bag}(assert (distinct b (bag.difference_remove b b)))(assert (= 0 (bag.card b)))"),
            "unsat",
        ),
        // 0, 1, 4 are the squares modulo 5; 4 is 2·2 and 3·3.
        (&format!("{field}(assert (= (ff.mul x x) (as ff2 (_ FiniteField 5))))"), "unsat"),
        (&format!("{field}(assert (= (ff.mul x x) (as ff-1 (_ FiniteField 5))))"), "sat"),
        (&format!("{field}(assert (distinct (ff.add x (ff.neg x)) #f0m5))"), "unsat"),
        // x + 2x + 4x is 7x, which is 2x modulo 5.
        (&format!("{field}(assert (distinct (ff.bitsum x x x) (ff.add x x)))"), "unsat"),
    ]);
}

#[test]
fn folds_of_at_most_one_element_are_decided() {
    let unit = "(declare-datatypes ((U 0)) (((u))))(declare-const s (Set U))(declare-const b (Bag U))(assert (bag.subbag b (bag u 3)))";
    let flip = "(lambda ((x U) (y Bool)) (not y))";
    check(&[
        // One call turns true into false; none leaves it.
        (&format!("{unit}(assert (set.fold {flip} true s))(assert (set.member u s))"), "unsat"),
        (&format!("{unit}(assert (set.fold {flip} true s))"), "sat"),
        (&format!("{unit}(assert (not (set.fold {flip} true s)))"), "sat"),
        // Two calls for two copies.
        (&format!("{unit}(assert (bag.fold {flip} true b))(assert (= 1 (bag.count u b)))"), "unsat"),
        (&format!("{unit}(assert (bag.fold {flip} true b))(assert (= 2 (bag.count u b)))"), "sat"),
        // The function takes the element first: it returns false for the element u, whatever came before.
        (
            "(declare-datatypes ((U 0)) (((u) (v))))(assert (set.fold (lambda ((x U) (y Bool)) (= x v)) true (set.singleton u)))",
            "unsat",
        ),
        // The order of two elements is open.
        (
            "(declare-const s (Set Bool))(assert (set.fold (lambda ((x Bool) (y Bool)) x) true s))(assert (set.member true s))\
             (assert (set.member false s))",
            "unknown",
        ),
    ]);
}

#[test]
fn folds_and_weighted_sums_are_decided() {
    let seq = "(declare-const s (Seq Bool))(assert (<= (seq.len s) 2))";
    let count = "(seq.foldl (lambda ((n Int) (x Bool)) (ite x (+ n 1) n)) 0 s)";
    let places = "(seq.foldli (lambda ((i Int) (n Int) (x Bool)) (ite x (+ n i) n)) 4 0 s)";
    let three = "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)";
    check(&[
        (&format!("{seq}(assert (= 3 {count}))"), "unsat"),
        (&format!("{seq}(assert (= 2 {count}))"), "sat"),
        // The places are 4 and 5: sums are 0, 4, 5 and 9.
        (&format!("{seq}(assert (= 9 {places}))"), "sat"),
        (&format!("{seq}(assert (= 8 {places}))"), "unsat"),
        (
            &format!("{seq}(assert (= s (seq.map (lambda ((x Bool)) (not x)) s)))(assert (= 1 (seq.len s)))"),
            "unsat",
        ),
        (
            &format!(
                "{seq}(assert (= s (seq.mapi (lambda ((i Int) (x Bool)) (= i 3)) 2 s)))(assert (= 2 (seq.len s)))"
            ),
            "sat",
        ),
        // Subset sums of 1, 2 and 4.
        (&format!("{three}(assert ((_ pbeq 5 1 2 4) p q r))(assert q)"), "unsat"),
        (&format!("{three}(assert ((_ pbeq 5 1 2 4) p q r))"), "sat"),
        (&format!("{three}(assert ((_ pbge 7 1 2 4) p q r))(assert (not p))"), "unsat"),
        (&format!("{three}(assert ((_ pble 3 1 2 4) p q r))(assert r)"), "unsat"),
    ]);
}

#[test]
fn functions_that_operators_take_by_name_have_no_default_values() {
    let nullable = "(declare-const n (Nullable Bool))(declare-const p Bool)";
    let lifted = "(assert (= ((_ nullable.lift f) n) (nullable.some true)))";
    let array = "(declare-fun f (Bool) Bool)(declare-const a (Array Bool Bool))(assert (select a true))";
    check(&[
        // Both are satisfiable: `f` may be the identity, and `p` true.
        (&format!("{nullable}(declare-fun f (Bool) Bool){lifted}"), "unknown"),
        (&format!("{nullable}(define-fun f ((x Bool)) Bool (and x p)){lifted}"), "unknown"),
        (&format!("{nullable}(define-fun f ((x Bool)) Bool (and x (not x))){lifted}"), "unsat"),
        (&format!("{nullable}(define-fun f ((x Bool)) Bool (not x)){lifted}"), "sat"),
        (&format!("{array}(assert (= a (lambda ((x Bool)) (select (_ as-array f) x))))"), "sat"),
        (&format!("{array}(assert (= a ((_ map f) a)))(assert (not (f true)))"), "unsat"),
    ]);
}

#[test]
fn formulas_about_small_heaps_are_decided() {
    let heap = "(declare-heap ((_ BitVec 2) Bool))(declare-const x (_ BitVec 2))(declare-const y (_ BitVec 2))(declare-const a Bool)";
    let nil = "(as sep.nil (_ BitVec 2))";
    let says = |assertion: &str| format!("{heap}(assert {assertion})");
    check(&[
        (&says("sep.emp"), "sat"),
        (&says("(and sep.emp (pto x a))"), "unsat"),
        (&says(&format!("(pto {nil} a)")), "unsat"),
        (&says(&format!("(and (pto x a) (= x {nil}))")), "unsat"),
        // A heap of one cell is no heap of two.
        (&says("(and (pto x true) (pto y false))"), "unsat"),
        (&says("(and (pto x a) (sep (pto x a) (not sep.emp)))"), "unsat"),
        (&says("(and (sep (pto x a) (pto y a)) (= x y))"), "unsat"),
        (&says("(and (sep (pto x a) true) (sep (pto y (not a)) true))"), "sat"),
        (&says("(and (sep (pto x a) true) (sep (pto y (not a)) true) (= x y))"), "unsat"),
        // Nil takes one of four locations.
        (&says("(sep (not sep.emp) (not sep.emp) (not sep.emp))"), "sat"),
        (&says("(sep (not sep.emp) (not sep.emp) (not sep.emp) (not sep.emp))"), "unsat"),
        (&says("(distinct (sep (pto x a) (pto y true)) (sep (pto y true) (pto x a)))"), "unsat"),
        (&says("(sep (= x y) (distinct x y))"), "unsat"),
        // No heap has nil, so the wand holds of every heap.
        (&says(&format!("(not (wand (pto {nil} a) false))")), "unsat"),
        (&says(&format!("(and sep.emp (wand (pto x a) false) (distinct x {nil}))")), "unsat"),
        (&says("(and (pto x a) (wand (pto x a) false))"), "sat"),
        (&says("(and sep.emp (not (wand (pto x a) (pto x a))))"), "unsat"),
        (&says("(and (pto y a) (wand (not sep.emp) (sep (pto y a) (not sep.emp))))"), "sat"),
        (&says("(not (wand (pto x a) (sep (pto x a) true)))"), "unsat"),
        // Modus ponens.
        (&says("(and (sep (pto x a) (wand (pto x a) (pto y a))) (not (pto y a)))"), "unsat"),
        (&says("(exists ((z (_ BitVec 2))) (and (pto z true) (sep (pto x false) true)))"), "unsat"),
        // Names are replaced by their terms, also over parts of the heap.
        (&says("(let ((p (pto x a))) (sep p p))"), "unknown"),
    ]);
    let ints = "(declare-heap (Int Int))(declare-const x Int)(declare-const y Int)";
    check(&[
        (&format!("{ints}(assert (sep (pto x 1) (pto y 5)))(assert (distinct x (as sep.nil Int)))"), "sat"),
        (&format!("{ints}(assert (sep (pto x 1) (pto x 2)))"), "large"),
        (&format!("{ints}(assert (and sep.emp (wand (pto x 1) (pto x 1))))"), "sat"),
        (&format!("{ints}(define-fun p () Bool (pto x 1))(assert (sep p (not p)))"), "unknown"),
    ]);
}

#[test]
fn comparisons_of_transcendental_numbers_are_decided() {
    check(&[
        ("(declare-const a Bool)(assert (= a (< (exp 1.0) 2.7)))(assert a)", "unsat"),
        ("(declare-const a Bool)(assert (= a (< (exp 1.0) 2.72)))(assert a)", "sat"),
        ("(assert (= (sin 1.0) (cos 1.0)))", "unsat"),
        ("(assert (= (exp 1.0) (exp (+ 0.5 0.5))))", "infinite"),
    ]);
}

#[test]
fn characters_between_two_others_are_listed() {
    let c = "(declare-const c Unicode)(declare-const d Unicode)";
    let between = format!(
        "{c}(assert (and (char.<= (_ Char 97) c) (char.<= c (_ Char 99)) (or (= d (_ Char 97)) (= d (_ Char 99)))))"
    );
    check(&[
        (
            &format!(
                "{between}(assert (and (distinct c d) (distinct c (_ Char 98)) (= (char.to_int c) 98)))"
            ),
            "unsat",
        ),
        (&format!("{between}(assert (and (char.<= d c) (= (char.to_int c) (+ 2 (char.to_int d)))))"), "sat"),
        (&format!("{between}(assert (and (not (char.<= d c)) (= d (_ Char 97))))"), "unsat"),
        // Strictly below the least one.
        (&format!("{c}(assert (not (char.<= (_ Char 0) c)))"), "unsat"),
        (&format!("{c}(assert (and (char.<= c (_ Char 2)) (= 3 (char.to_int c))))"), "unsat"),
        (&format!("{c}(assert (and (char.<= (_ Char 2) c) (= 1 (char.to_int c))))"), "infinite"),
        (
            &format!("{c}(assert (distinct c (_ Char 2)))(assert (char.is_digit d))(assert (= c d))"),
            "infinite",
        ),
    ]);
}

#[test]
fn trees_of_co_datatypes_are_decided() {
    let streams = "(declare-codatatypes ((S 0)) (((c (head Bool) (tail S)) (end))))(declare-const x S)(declare-const y S)";
    let two = "(declare-codatatypes ((S 0) (T 0)) (((c (head Bool) (t T))) ((d (s S)) (stop))))(declare-const x S)(declare-const z T)";
    let one = "(declare-codatatype S ((more (rest S))))(declare-const x S)(declare-const y S)";
    let says = |declared: &str, assertion: &str| format!("{declared}(assert {assertion})");
    check(&[
        (&says(streams, "(= x (c true x))"), "sat"),
        (&says(streams, "(and (= x (c true x)) (= y (c true (c false y))) (distinct x y))"), "sat"),
        (&says(streams, "(and (= x (c true (c true x))) (= x (c true y)) (= x y))"), "sat"),
        (&says(streams, "(and (= x (c true (c false x))) (= y (c false x)) (= x (c true y)))"), "sat"),
        (&says(streams, "(and ((_ is c) x) (= x ((_ update tail) x x)))"), "sat"),
        (&says(streams, "(and (= x (c true end)) (= y ((_ update head) x false)) (head y))"), "unsat"),
        // Infinitely many values: the search ends without a proof.
        (&says(streams, "(and (= x (c true x)) (= y (c true y)) (distinct x y))"), "infinite"),
        // False whatever the values are.
        (&says(streams, "(and (= x y) false)"), "unsat"),
        (&says(two, "(and (= x (c true z)) (= z (d x)))"), "sat"),
        (&says(two, "(and (= x (c true (d (c false z)))) (= z (d x)) ((_ is d) z))"), "sat"),
        (&says(two, "(match z (((d a) (= a x)) (stop (head x))))"), "sat"),
        // One value.
        (&says(one, "(distinct x y)"), "unsat"),
        (&says(one, "(= x (more (more y)))"), "sat"),
        (&says(one, "(exists ((z S)) (distinct z (rest x)))"), "unsat"),
        (
            "(declare-codatatypes ((A 0) (B 0)) (((a (b B))) ((bb (aa A) (bs B)))))(declare-const x A)(declare-const y A)(assert (distinct x y))",
            "unsat",
        ),
        // Finitely many, as it does not contain itself.
        (
            "(declare-codatatype S ((l (u Bool)) (r)))(declare-const x S)(assert (distinct x r (l true) (l false)))",
            "unsat",
        ),
        (
            "(declare-codatatype S ((more (rest S))))(declare-datatype P ((p (q S) (r Bool))))(declare-const x P)(declare-const y P)\
             (declare-const z P)(assert (distinct x y z))",
            "unsat",
        ),
        // A quantifier over infinitely many, and a sort of unknown size.
        (&says(streams, "(forall ((z S)) (distinct z x))"), "infinite"),
        (
            "(declare-sort U 0)(declare-codatatype S ((k (u U) (v S))))(declare-const x S)(declare-const y S)(assert (distinct x y))",
            "infinite",
        ),
    ]);
}
