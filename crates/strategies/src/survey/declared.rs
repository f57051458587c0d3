//! The declarations of a script, and the commands where each is in force.

use gainsay_smt::{Arena, Command, DatatypeDeclaration, Definition, Head, Index, Script, Sort, Symbol, Word};

/// A range of commands, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandRange {
    /// The first command.
    pub from: u32,
    /// The command after the last.
    pub to: u32,
}

impl CommandRange {
    /// All commands.
    pub const ALL_COMMANDS: CommandRange = CommandRange { from: 0, to: u32::MAX };
    /// No command.
    pub const NO_COMMAND: CommandRange = CommandRange { from: u32::MAX, to: 0 };

    /// The commands in both ranges.
    pub fn and(self, other: CommandRange) -> CommandRange {
        CommandRange { from: self.from.max(other.from), to: self.to.min(other.to) }
    }

    /// Whether a command is in the range.
    pub fn has(self, command: usize) -> bool {
        (self.from as usize) <= command && command < self.to as usize
    }
}

/// A declared function, or a function of a datatype.
#[derive(Debug, Clone)]
pub struct DeclaredFunction {
    /// Its name; for a tester, `is`.
    pub name: Symbol,
    /// The constructor that a tester tests for.
    pub tested: Option<Symbol>,
    /// The sort in `(as name sort)`, if the arguments do not determine it.
    pub qualifier: Option<Sort>,
    /// Its parameters' sorts, canonical.
    pub parameters: Vec<Sort>,
    /// Its result sort, canonical.
    pub result: Sort,
    /// The commands where it is declared.
    pub span: CommandRange,
}

impl DeclaredFunction {
    /// Returns true if its name alone stands for it.
    pub fn is_declared(&self) -> bool {
        self.tested.is_none() && self.qualifier.is_none()
    }

    /// The head of its applications; `index` holds the index of a tester.
    pub fn head<'a>(&self, index: &'a mut [Index; 1]) -> Head<'a> {
        match self.tested {
            None => Head { qualifier: self.qualifier, ..Head::plain(self.name) },
            Some(constructor) => {
                *index = [Index::Symbol(constructor)];
                Head { symbol: self.name, indices: index, qualifier: None }
            }
        }
    }
}

/// The declarations of a script.
#[derive(Debug)]
pub struct ScriptDeclarations {
    /// For each symbol, where the function with that name is declared.
    names: RangeTable,
    /// For each symbol, where the sort with that name is declared.
    sorts: RangeTable,
    /// The functions with parameters, and the functions of datatypes.
    pub functions: Vec<DeclaredFunction>,
    /// Whether the script declares sorts, so that sorts may be out of scope.
    has_sorts: bool,
    /// Whether the script has sort parameters, which mutations do not support.
    pub has_sort_parameters: bool,
}

/// Ranges by symbol: the row of each, 0 for none. The many symbols of the theories, few of which a script declares, have no place in the
/// table: it is made for every mutation.
#[derive(Debug)]
struct RangeTable {
    /// The number of symbols of the theories.
    theories: usize,
    /// The number of the other symbols.
    own: usize,
    /// The rows of the other symbols.
    rows: Vec<u32>,
    /// The symbols of the theories that have a row.
    of_theories: Vec<(Symbol, u32)>,
    spans: Vec<(Symbol, CommandRange)>,
}

impl RangeTable {
    fn new(arena: &Arena) -> RangeTable {
        let theories = arena.signature().symbol_count();
        let own = arena.symbol_count() - theories;
        RangeTable { theories, own, rows: Vec::new(), of_theories: Vec::new(), spans: Vec::new() }
    }

    fn row(&self, name: Symbol) -> u32 {
        match name.index().checked_sub(self.theories) {
            Some(place) => self.rows.get(place).copied().unwrap_or(0),
            None => self.of_theories.iter().rfind(|(other, _)| *other == name).map_or(0, |(_, row)| *row),
        }
    }

    fn set_row(&mut self, name: Symbol, row: u32) {
        match name.index().checked_sub(self.theories) {
            Some(place) => {
                self.rows.resize(self.rows.len().max(place + 1), 0);
                self.rows[place] = row;
            }
            None => self.of_theories.push((name, row)),
        }
    }

    /// Adds a name. A name declared twice may mean two things, and counts as declared nowhere.
    fn add(&mut self, name: Symbol, from: usize) -> CommandRange {
        if self.spans.is_empty() {
            // Most scripts declare no sorts: their table takes no memory.
            self.spans.reserve(self.own);
            self.rows.reserve(self.own);
        }
        let mut span = CommandRange { from: from as u32, to: u32::MAX };
        if let row @ 1.. = self.row(name) {
            self.spans[row as usize - 1].1 = CommandRange::NO_COMMAND;
            span = CommandRange::NO_COMMAND;
        }
        self.spans.push((name, span));
        self.set_row(name, self.spans.len() as u32);
        span
    }

    fn get(&self, name: Symbol) -> Option<CommandRange> {
        match self.row(name) {
            0 => None,
            row => Some(self.spans[row as usize - 1].1),
        }
    }

    /// Ends all ranges after the first `kept` at a command.
    fn end(&mut self, kept: usize, at: usize) {
        for (_, span) in &mut self.spans[kept..] {
            span.to = span.to.min(at as u32);
        }
    }
}

/// The number of declarations when a level was opened.
#[derive(Clone, Copy, Default)]
struct LevelMark {
    names: usize,
    sorts: usize,
    levels: u32,
}

impl ScriptDeclarations {
    /// Collects the declarations of a script.
    pub fn of(script: &Script) -> ScriptDeclarations {
        let arena = script.arena();
        let mut declared = ScriptDeclarations {
            names: RangeTable::new(arena),
            sorts: RangeTable::new(arena),
            functions: Vec::new(),
            has_sorts: false,
            has_sort_parameters: false,
        };
        let mut levels: Vec<LevelMark> = Vec::new();
        let mut global = false;
        for (at, command) in script.commands.iter().enumerate() {
            match command {
                Command::Push(count) => {
                    levels.push(LevelMark { levels: count.unwrap_or(1), ..declared.mark() });
                }
                Command::Pop(count) => {
                    let mark = pop(&mut levels, count.unwrap_or(1));
                    if !global {
                        declared.end(mark, at);
                    }
                }
                Command::ResetAssertions if !global => declared.end(LevelMark::default(), at),
                Command::Reset => declared.end(LevelMark::default(), at),
                Command::Plain(name, text) if arena.text(*name) == "set-option" => {
                    let text = arena.text(*text);
                    global |= text.starts_with(":global-declarations") && text.ends_with("true");
                }
                _ => declared.declare(arena, command, at),
            }
        }
        declared
    }

    /// Adds the functions of datatypes for each sort with terms, and keeps only usable functions.
    ///
    /// A datatype with parameters has one instance for each such sort.
    pub fn finish(&mut self, script: &Script, sorts: &[Sort]) {
        let arena = script.arena();
        for command in &script.commands {
            let Command::DeclareDatatypes(_, datatypes) = command else { continue };
            for datatype in datatypes.iter() {
                let instances = sorts.iter().filter(|&&sort| arena.view_sort(sort).head == datatype.name);
                instances.for_each(|&sort| self.datatype_functions(arena, datatype, sort));
            }
        }
        // A name declared twice counts as declared nowhere, which was not known when the functions were added.
        for function in &mut self.functions {
            let name = function.tested.unwrap_or(function.name);
            function.span = self.names.get(name).unwrap_or(CommandRange::NO_COMMAND);
        }
        self.functions.retain(|function| {
            let mut sorts = function.parameters.iter().chain([&function.result]);
            function.span.from < function.span.to && sorts.all(|&sort| arena.is_sort_of_values(sort))
        });
    }

    /// Where the function with this name is declared; `None` if the script does not declare it.
    pub fn function(&self, name: Symbol) -> Option<CommandRange> {
        self.names.get(name)
    }

    /// Records the name of a `:named` term in command `at`.
    pub fn add_name(&mut self, name: Symbol, at: usize, level_end: u32) {
        self.names.add(name, at + 1);
        if let Some((_, span)) = self.names.spans.last_mut() {
            span.to = span.to.min(level_end);
        }
    }

    /// Where all declared sorts in a sort are in scope.
    pub fn sort(&self, arena: &Arena, sort: Sort) -> CommandRange {
        if !self.has_sorts {
            return CommandRange::ALL_COMMANDS;
        }
        let mut span = CommandRange::ALL_COMMANDS;
        let mut open = vec![sort];
        while let Some(sort) = open.pop() {
            let view = arena.view_sort(sort);
            span = span.and(self.sorts.get(view.head).unwrap_or(CommandRange::ALL_COMMANDS));
            open.extend_from_slice(view.arguments);
        }
        span
    }

    fn mark(&self) -> LevelMark {
        LevelMark { names: self.names.spans.len(), sorts: self.sorts.spans.len(), levels: 0 }
    }

    fn end(&mut self, mark: LevelMark, at: usize) {
        self.names.end(mark.names, at);
        self.sorts.end(mark.sorts, at);
    }

    fn declare(&mut self, arena: &Arena, command: &Command, at: usize) {
        match command {
            Command::DeclareSort(name, _) | Command::DefineSort(name, _, _) => {
                self.has_sorts = true;
                self.sorts.add(*name, at + 1);
            }
            Command::DeclareSortParameter(..) => self.has_sort_parameters = true,
            Command::Declare(word, name, parameters, result) => {
                self.names.add(*name, at + 1);
                if matches!(word, Word::DeclareFun) && !parameters.is_empty() {
                    self.function_of(arena, *name, parameters.iter().copied(), *result);
                }
            }
            Command::Define(Word::DefineFunRec, definition) => self.define(arena, definition, at),
            Command::Define(_, definition) => self.define(arena, definition, at + 1),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().for_each(|definition| self.define(arena, definition, at));
            }
            Command::DeclareDatatypes(_, datatypes) => {
                self.has_sorts = true;
                datatypes.iter().for_each(|datatype| self.datatype(datatype, at + 1));
            }
            _ => {}
        }
    }

    fn define(&mut self, arena: &Arena, definition: &Definition, from: usize) {
        self.names.add(definition.name, from);
        if !definition.parameters.is_empty() {
            let parameters = definition.parameters.iter().map(|parameter| parameter.sort);
            self.function_of(arena, definition.name, parameters, definition.result);
        }
    }

    fn datatype(&mut self, datatype: &DatatypeDeclaration, from: usize) {
        self.sorts.add(datatype.name, from);
        for constructor in &datatype.constructors {
            self.names.add(constructor.name, from);
            for (selector, _) in &constructor.fields {
                self.names.add(*selector, from);
            }
        }
    }

    /// The constructors, selectors and testers of one instance of a datatype.
    fn datatype_functions(&mut self, arena: &Arena, datatype: &DatatypeDeclaration, sort: Sort) {
        let arguments = arena.view_sort(sort).arguments.iter().copied();
        let bindings: Vec<(Sort, Sort)> = datatype.parameters.iter().copied().zip(arguments).collect();
        let plain = |name, parameters, result| DeclaredFunction {
            name,
            tested: None,
            qualifier: None,
            parameters,
            result,
            span: CommandRange::NO_COMMAND,
        };
        for constructor in &datatype.constructors {
            let fields = constructor.fields.iter();
            let fields: Option<Vec<Sort>> =
                fields.map(|(_, field)| arena.find_instance(*field, &bindings)).collect();
            let told = |parameter: &Sort| {
                constructor.fields.iter().any(|(_, field)| mentions(arena, *field, *parameter))
            };
            let qualifier = (!datatype.parameters.iter().all(told)).then_some(sort);
            for ((selector, _), field) in constructor.fields.iter().zip(fields.iter().flatten()) {
                self.functions.push(plain(*selector, vec![sort], *field));
            }
            if let Some(fields) = fields {
                self.functions.push(DeclaredFunction { qualifier, ..plain(constructor.name, fields, sort) });
            }
            let tester = plain(Symbol::IS, vec![sort], Sort::BOOL);
            self.functions.push(DeclaredFunction { tested: Some(constructor.name), ..tester });
        }
    }

    fn function_of(
        &mut self,
        arena: &Arena,
        name: Symbol,
        parameters: impl Iterator<Item = Sort>,
        result: Sort,
    ) {
        let parameters = parameters.map(|sort| arena.canonical(sort)).collect();
        let result = arena.canonical(result);
        self.functions.push(DeclaredFunction {
            name,
            tested: None,
            qualifier: None,
            parameters,
            result,
            span: CommandRange::NO_COMMAND,
        });
    }
}

/// Removes levels, and returns the number of declarations before them.
fn pop(levels: &mut Vec<LevelMark>, count: u32) -> LevelMark {
    let mut rest = count;
    let mut mark = LevelMark::default();
    while rest > 0
        && let Some(top) = levels.last_mut()
    {
        mark = *top;
        let taken = rest.min(top.levels);
        top.levels -= taken;
        rest -= taken;
        if top.levels == 0 {
            levels.pop();
        }
    }
    mark
}

/// Whether a sort is or contains a sort parameter.
fn mentions(arena: &Arena, sort: Sort, parameter: Sort) -> bool {
    let mut open = vec![arena.canonical(sort)];
    while let Some(sort) = open.pop() {
        if sort == parameter {
            return true;
        }
        open.extend_from_slice(arena.view_sort(sort).arguments);
    }
    false
}
