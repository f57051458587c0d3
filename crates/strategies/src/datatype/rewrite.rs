//! How terms follow a change of a declaration, on the tree of parentheses.
//!
//! The names that a change concerns mean nothing else in the script (the strategy sees to that), so a list that begins with
//! a constructor applies it, or is a pattern of a `match`. A name in any other place, such as a constructor that is passed as a
//! function, is not expected: then the change is not made.

use gainsay_smt::paren_tree::{Comments, ParenTree};

/// How terms change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermRewrite {
    /// Not at all.
    Nothing,
    /// The arguments of a constructor in another order.
    Reorder { constructor: String, order: Vec<usize> },
    /// Another argument after the others.
    Extend { constructor: String, arity: usize, value: String, variable: String },
    /// An argument in a box, and out of it where it is selected.
    Wrap {
        constructor: String,
        arity: usize,
        field: usize,
        selector: String,
        boxed: String,
        unboxed: String,
        variable: String,
    },
    /// An instance in the place of a sort; constructors that do not show which instance they make are qualified.
    Parameter { name: String, instance: String, open: Vec<String> },
}

/// Commands without terms and sorts.
const PLAIN_COMMANDS: [&str; 5] = ["set-info", "set-option", "set-logic", "echo", "get-info"];

/// The script with another declaration, and terms that follow it; `None` if that cannot be done.
pub fn rewrite_script(
    text: &str,
    declaration: usize,
    declared: &str,
    rewrite: &TermRewrite,
) -> Option<String> {
    let tree = ParenTree::read(text, Comments::Dropped);
    let mut after = String::new();
    for (number, command) in tree.items(None).enumerate() {
        let is_plain = tree.head(command).is_some_and(|name| PLAIN_COMMANDS.contains(&name));
        if number == declaration {
            after += declared;
        } else if is_plain {
            after += &tree.print_node(command);
        } else {
            after += &rewritten(&tree, command, rewrite)?;
        }
        after.push('\n');
    }
    Some(after)
}

/// A command after the change. Nodes come after the lists that they are in, so that the parts of a list are done before it.
fn rewritten(tree: &ParenTree, command: usize, rewrite: &TermRewrite) -> Option<String> {
    let range = tree.range(command);
    let mut texts: Vec<String> = vec![String::new(); range.len()];
    for node in range.clone().rev() {
        let text = match tree.word(node) {
            Some(word) => rewrite.word(tree, node, word)?,
            None => {
                let items: Vec<usize> = tree.items(Some(node)).collect();
                let parts = items.iter().map(|item| std::mem::take(&mut texts[item - range.start])).collect();
                rewrite.list(tree, node, &items, parts)
            }
        };
        texts[node - range.start] = text;
    }
    texts.into_iter().next()
}

impl TermRewrite {
    /// A word after the change; `None` if it is not expected where it is.
    fn word(&self, tree: &ParenTree, node: usize, word: &str) -> Option<String> {
        match self {
            TermRewrite::Reorder { constructor, order } if word == constructor => {
                is_applied(tree, node, order.len()).then(|| word.to_owned())
            }
            TermRewrite::Extend { constructor, arity, .. } | TermRewrite::Wrap { constructor, arity, .. }
                if word == constructor =>
            {
                is_applied(tree, node, *arity).then(|| word.to_owned())
            }
            TermRewrite::Wrap { selector, .. } if word == selector => {
                let is_selection = tree
                    .parent(node)
                    .is_some_and(|list| is_head(tree, node) && tree.items(Some(list)).count() == 2);
                is_selection.then(|| word.to_owned())
            }
            TermRewrite::Parameter { name, instance, .. } if word == name => Some(instance.clone()),
            TermRewrite::Parameter { instance, open, .. } if open.iter().any(|one| one == word) => {
                let is_plain = !is_tester(tree, node) && !is_qualified(tree, node) && !is_pattern(tree, node);
                Some(if is_plain { format!("(as {word} {instance})") } else { word.to_owned() })
            }
            _ => Some(word.to_owned()),
        }
    }

    /// A list after the change of its items.
    fn list(&self, tree: &ParenTree, node: usize, items: &[usize], mut parts: Vec<String>) -> String {
        let head = applied_name(tree, items);
        match self {
            TermRewrite::Reorder { constructor, order } if head == Some(constructor) => {
                let arguments: Vec<String> =
                    order.iter().filter_map(|&field| parts.get(field + 1).cloned()).collect();
                parts.truncate(1);
                parts.extend(arguments);
            }
            TermRewrite::Extend { constructor, value, variable, .. } if head == Some(constructor) => {
                parts.push(if is_pattern(tree, node) { variable.clone() } else { value.clone() });
            }
            TermRewrite::Wrap { constructor, field, boxed, .. } if head == Some(constructor) => {
                let part = &mut parts[field + 1];
                *part = match is_pattern(tree, node) {
                    true => std::mem::take(part),
                    false => format!("({boxed} {part})"),
                };
            }
            TermRewrite::Wrap { selector, unboxed, .. } if head == Some(selector) => {
                return format!("({unboxed} ({}))", parts.join(" "));
            }
            TermRewrite::Wrap { constructor, field, unboxed, variable, .. } if is_case(tree, node) => {
                let pattern: Vec<usize> = items.first().map_or(Vec::new(), |&first| match tree.word(first) {
                    Some(_) => Vec::new(),
                    None => tree.items(Some(first)).collect(),
                });
                if applied_name(tree, &pattern) == Some(constructor) && parts.len() == 2 {
                    let mut words: Vec<&str> = pattern.iter().filter_map(|&item| tree.word(item)).collect();
                    let bound = std::mem::replace(&mut words[field + 1], variable);
                    let body = format!("(let (({bound} ({unboxed} {variable}))) {})", parts[1]);
                    return format!("(({}) {body})", words.join(" "));
                }
            }
            _ => {}
        }
        format!("({})", parts.join(" "))
    }
}

/// The function that a list applies, qualified or not.
fn applied_name<'t>(tree: &'t ParenTree, items: &[usize]) -> Option<&'t str> {
    let &first = items.first()?;
    match tree.word(first) {
        Some(word) => Some(word),
        None if tree.head(first) == Some("as") => {
            tree.items(Some(first)).nth(1).and_then(|name| tree.word(name))
        }
        None => None,
    }
}

/// Returns true if a node is the first of its list.
fn is_head(tree: &ParenTree, node: usize) -> bool {
    tree.parent(node).is_some_and(|list| list + 1 == node)
}

/// Returns true if a constructor is applied to all its arguments, or the name of a tester.
fn is_applied(tree: &ParenTree, node: usize, arity: usize) -> bool {
    let at = match tree.parent(node) {
        Some(list) if is_qualified(tree, node) => list,
        _ => node,
    };
    let applied =
        tree.parent(at).is_some_and(|list| is_head(tree, at) && tree.items(Some(list)).count() == arity + 1);
    applied || is_tester(tree, node)
}

/// `(_ is c)`
fn is_tester(tree: &ParenTree, node: usize) -> bool {
    tree.parent(node).is_some_and(|list| tree.head(list) == Some("_") && !is_head(tree, node))
}

/// `(as c D)`
fn is_qualified(tree: &ParenTree, node: usize) -> bool {
    tree.parent(node).is_some_and(|list| tree.head(list) == Some("as") && list + 2 == node)
}

/// A case of a `match`: `(pattern body)` in its last item.
fn is_case(tree: &ParenTree, node: usize) -> bool {
    let Some(cases) = tree.parent(node) else { return false };
    let Some(list) = tree.parent(cases) else { return false };
    tree.head(list) == Some("match") && tree.items(Some(list)).nth(2) == Some(cases)
}

/// The pattern of a case of a `match`.
fn is_pattern(tree: &ParenTree, node: usize) -> bool {
    is_head(tree, node) && tree.parent(node).is_some_and(|list| is_case(tree, list))
        // The constructor of a pattern with variables.
        || is_head(tree, node) && tree.word(node).is_some()
            && tree.parent(node).is_some_and(|list| tree.word(list).is_none() && is_head(tree, list) && tree.parent(list).is_some_and(|outer| is_case(tree, outer)))
}

/// A text in which every word `name` is another text.
pub fn words_replaced(text: &str, name: &str, with: &str) -> String {
    let tree = ParenTree::read(text, Comments::Dropped);
    let edit = |node: usize| {
        let text = gainsay_smt::paren_tree::NodeEdit::Text(with.to_owned());
        (tree.word(node) == Some(name)).then_some(text)
    };
    tree.print(edit).trim_end().to_owned()
}
