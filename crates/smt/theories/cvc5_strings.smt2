; cvc5 extensions of strings, and its str operators on sequences. The synonyms are CVC4's; cvc5 dropped them.
(theory CVC5_Strings
  :sorts ((String 0) (RegLan 0) (Seq 1))
  :funs (
    (str.indexof_re String RegLan Int Int)
    (str.update String Int String String)
    (str.rev String String)
    (str.to_lower String String)
    (str.to_upper String String)
    ; the same operator names on sequences
    (par (A) (str.++ (Seq A) (Seq A) (Seq A) :left-assoc))
    (par (A) (str.len (Seq A) Int))
    (par (A) (str.at (Seq A) Int (Seq A)))
    (par (A) (str.substr (Seq A) Int Int (Seq A)))
    (par (A) (str.contains (Seq A) (Seq A) Bool))
    (par (A) (str.indexof (Seq A) (Seq A) Int Int))
    (par (A) (str.replace (Seq A) (Seq A) (Seq A) (Seq A)))
    (par (A) (str.replace_all (Seq A) (Seq A) (Seq A) (Seq A)))
    (par (A) (str.prefixof (Seq A) (Seq A) Bool))
    (par (A) (str.suffixof (Seq A) (Seq A) Bool))
    (par (A) (str.update (Seq A) Int (Seq A) (Seq A)))
    (par (A) (str.rev (Seq A) (Seq A))))
  :synonyms (
    (str.replaceall str.replace_all)
    (str.tolower str.to_lower)
    (str.toupper str.to_upper)))
