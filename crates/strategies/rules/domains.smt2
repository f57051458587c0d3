; Properties of terms that value mutation makes true and false, to get boundary values of a sort. README.md has the notation.
; A row applies to every term of its first sort; a second parameter stands for any closed term of its sort.
(version 1)

; ---- any sort ------------------------------------------------------------------------------------------------------------
(domain equal ((x T) (y T)) (= x y))

; ---- numbers -------------------------------------------------------------------------------------------------------------
(domain int-negative ((x Int)) (< x 0))
(domain int-zero ((x Int)) (= x 0))
(domain int-one ((x Int)) (= x 1))
(domain int-minus-one ((x Int)) (= x (- 1)))
(domain int-even ((x Int)) (= (mod x 2) 0))
(domain int-power-of-two ((x Int)) (or (= x 2) (= x 4) (= x 256) (= x 65536) (= x 4294967296)))
(domain int-large ((x Int)) (< 2147483647 x))
(domain int-below ((x Int) (y Int)) (= (+ x 1) y))
(domain real-negative ((x Real)) (< x 0.0))
(domain real-zero ((x Real)) (= x 0.0))
(domain real-one ((x Real)) (= x 1.0))
(domain real-whole ((x Real)) (is_int x))
(domain real-small ((x Real)) (and (< 0.0 x) (< x 0.5)))

; ---- bit-vectors: all constants are computed from x, for any width -------------------------------------------------------
(domain bits-zero ((x BitVec)) (= x (bvxor x x)))
(domain bits-one ((x BitVec)) (= (bvneg x) (bvnot (bvxor x x))))
(domain bits-largest ((x BitVec)) (= (bvnot x) (bvxor x x)))
(domain bits-negative ((x BitVec)) (bvslt x (bvxor x x)))
(domain bits-smallest-signed ((x BitVec)) (and (= x (bvneg x)) (distinct x (bvxor x x))))
(domain bits-odd ((x BitVec)) (distinct (bvand x (bvneg (bvnot (bvxor x x)))) (bvxor x x)))
(domain bits-power-of-two ((x BitVec)) (and (distinct x (bvxor x x)) (= (bvand x (bvneg x)) x)))

; ---- floating point ------------------------------------------------------------------------------------------------------
(domain float-nan ((x FloatingPoint)) (fp.isNaN x))
(domain float-infinite ((x FloatingPoint)) (fp.isInfinite x))
(domain float-zero ((x FloatingPoint)) (fp.isZero x))
(domain float-negative-zero ((x FloatingPoint)) (and (fp.isZero x) (fp.isNegative x)))
(domain float-subnormal ((x FloatingPoint)) (fp.isSubnormal x))
(domain float-negative ((x FloatingPoint)) (fp.isNegative x))

; ---- strings -------------------------------------------------------------------------------------------------------------
(domain string-empty ((x String)) (= (str.len x) 0))
(domain string-character ((x String)) (= (str.len x) 1))
(domain string-short ((x String)) (and (< 1 (str.len x)) (< (str.len x) 5)))
(domain string-digits ((x String)) (<= 0 (str.to_int x)))
(domain string-leading-zero ((x String)) (and (str.prefixof "0" x) (<= 0 (str.to_int x))))
(domain string-prefix ((x String) (y String)) (str.prefixof x y))
(domain string-suffix ((x String) (y String)) (str.suffixof x y))
(domain string-contains ((x String) (y String)) (str.contains x y))
(domain string-same-length ((x String) (y String)) (= (str.len x) (str.len y)))
(domain string-before ((x String) (y String)) (str.< x y))
(domain string-member ((x String) (y RegLan)) (str.in_re x y))

; ---- sequences -----------------------------------------------------------------------------------------------------------
(domain sequence-empty ((x Seq)) (= (seq.len x) 0))
(domain sequence-unit ((x Seq)) (= (seq.len x) 1))
