//! scratch
use std::io::Read;
fn main() {
    let signature = gainsay_smt::Signature::standard();
    let list = std::env::args().nth(1).unwrap();
    let print = std::env::args().nth(2).is_some();
    let (mut ok, mut opaque, mut bad) = (0, 0, 0);
    for file in std::fs::read_to_string(list).unwrap().lines() {
        let file = file.split('\t').next().unwrap();
        let mut bytes = Vec::new();
        std::fs::File::open(file).unwrap().read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        match gainsay_smt::Script::parse(&text, &signature) {
            Ok(s) => {
                ok += 1;
                if s.has_opaque() {
                    opaque += 1;
                    if print {
                        println!("OPAQUE\t{file}");
                    }
                }
                let t = s.to_string();
                match gainsay_smt::Script::parse(&t, &signature) {
                    Ok(s2) => {
                        if s2.to_string() != t {
                            println!("DIFF\t{file}");
                        }
                    }
                    Err(e) => println!("REPARSE\t{file}\t{e}"),
                }
                let t = gainsay_smt::Printer::new().sharing().print(&s);
                if let Err(e) = gainsay_smt::Script::parse(&t, &signature) {
                    println!("SHARE\t{file}\t{e}");
                }
            }
            Err(e) => {
                bad += 1;
                println!("{:?}\t{file}\t{e}", e.kind);
            }
        }
    }
    println!("ok {ok} opaque {opaque} bad {bad}");
}
