//! All profiles: those that come with gainsay and those of the user.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::bounded;
use super::profile::{CommonRules, Profile, ProfileError, line_of, read_toml};
use super::script_filter::{OptionOwner, Removal};
use super::suggest;

/// The patterns that hold for any solver.
const ANY_SOLVER_RULES: &str = include_str!("../profiles/any.toml");

/// The profiles that come with gainsay.
const BUILT_IN: &[(&str, &str)] = &[
    ("alt-ergo.toml", include_str!("../profiles/alt-ergo.toml")),
    ("bitwuzla.toml", include_str!("../profiles/bitwuzla.toml")),
    ("boolector.toml", include_str!("../profiles/boolector.toml")),
    ("cvc4.toml", include_str!("../profiles/cvc4.toml")),
    ("cvc5.toml", include_str!("../profiles/cvc5.toml")),
    ("cvc5-gpl.toml", include_str!("../profiles/cvc5-gpl.toml")),
    ("dreal.toml", include_str!("../profiles/dreal.toml")),
    ("eldarica.toml", include_str!("../profiles/eldarica.toml")),
    ("generic.toml", include_str!("../profiles/generic.toml")),
    ("golem.toml", include_str!("../profiles/golem.toml")),
    ("mathsat.toml", include_str!("../profiles/mathsat.toml")),
    ("opensmt.toml", include_str!("../profiles/opensmt.toml")),
    ("princess.toml", include_str!("../profiles/princess.toml")),
    ("smtinterpol.toml", include_str!("../profiles/smtinterpol.toml")),
    ("spacer.toml", include_str!("../profiles/spacer.toml")),
    ("yices.toml", include_str!("../profiles/yices.toml")),
    ("z3.toml", include_str!("../profiles/z3.toml")),
];

/// Profiles by name.
#[derive(Debug, Clone)]
pub struct Profiles {
    by_name: BTreeMap<String, Arc<Profile>>,
    /// The errors of the user's files that could not be read, by file name without extension.
    broken: BTreeMap<String, ProfileError>,
}

/// A name without a usable profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownSolver {
    /// No profile has this name.
    #[error(
        "unknown solver `{name}`{hint}; known are {known}; for another, write a profile or use generic=COMMAND"
    )]
    NoProfile {
        /// The name.
        name: String,
        /// The name that was probably meant.
        hint: String,
        /// All known names.
        known: String,
    },
    /// The user's profile of this name has an error. A warning explained it when the profile was read, so this only names the place.
    #[error("the profile of {name} cannot be used: {}, line {}, is wrong", error.file, error.line)]
    Broken {
        /// The name.
        name: String,
        /// The error.
        error: ProfileError,
    },
}

impl Profiles {
    /// The profiles that come with gainsay.
    pub fn built_in() -> Self {
        static BUILT_IN_PROFILES: LazyLock<Profiles> = LazyLock::new(Profiles::read_built_in);
        BUILT_IN_PROFILES.clone()
    }

    fn read_built_in() -> Self {
        let mut profiles = Profiles { by_name: BTreeMap::new(), broken: BTreeMap::new() };
        // Profiles with `output_like` come after the one that they name.
        let (like, own): (Vec<_>, Vec<_>) =
            BUILT_IN.iter().partition(|(_, text)| text.contains("\noutput_like ="));
        for (file, text) in own.into_iter().chain(like) {
            profiles.read(file, text).expect("a test reads every built-in profile");
        }
        profiles.set_filters();
        profiles
    }

    /// Adds a profile from the text of a file; one of the same name is replaced.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), ProfileError> {
        self.read(file, text)?.check(file, text)?;
        self.set_filters();
        Ok(())
    }

    /// Sets the filter of each profile by the options and removals of all profiles.
    fn set_filters(&mut self) {
        let common: CommonRules =
            read_toml("any.toml", ANY_SOLVER_RULES).expect("a test reads every built-in profile");
        let families_and_rows: Vec<(String, Removal)> = self
            .all()
            .flat_map(|profile| profile.remove.iter().map(|row| (profile.family.clone(), row.clone())))
            .collect();
        let owner = |profile: &&Arc<Profile>| OptionOwner {
            solver: profile.name.clone(),
            family: profile.family.clone(),
            options: profile.own_options.clone(),
            commands: profile.own_commands.clone(),
        };
        // The generic profile accepts every option and owns none.
        let mut owners: Vec<_> = self.all().filter(|profile| !profile.own_options.is_any()).collect();
        owners.sort_by_key(|profile| is_variant(profile));
        let owners = owners.iter().map(owner).collect();
        for profile in self.by_name.values_mut() {
            let holds = |family: &String, row: &Removal| !row.own_family || *family == profile.family;
            let rows = families_and_rows.iter().filter(|(family, row)| holds(family, row));
            let rows: Vec<Removal> = rows.map(|(_, row)| row.clone()).collect();
            Arc::make_mut(profile).set_filter(&common, &rows, &owners);
        }
    }

    fn read(&mut self, file: &str, text: &str) -> Result<Arc<Profile>, ProfileError> {
        let known = |name: &str| self.by_name.get(name).map(Arc::as_ref);
        let profile = match extended(file, text)? {
            // Lines of errors are those of the merged text, so the file alone is named.
            Some(merged) => Profile::read(file, &merged, ANY_SOLVER_RULES, known)
                .map_err(|error| ProfileError { line: 1, ..error })?,
            None => Profile::read(file, text, ANY_SOLVER_RULES, known)?,
        };
        let profile = Arc::new(profile);
        self.by_name.insert(profile.name.clone(), Arc::clone(&profile));
        Ok(profile)
    }

    /// Adds every `*.toml` of a folder, in the order of their names; does nothing if the folder does not exist.
    ///
    /// A file with an error concerns only the solver that it is named after: [`Profiles::get`] returns the error.
    pub fn add_folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        files.sort();
        for path in files {
            if let Err(error) = self.add_file(&path) {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                self.broken.insert(stem, error);
            }
        }
    }

    fn add_file(&mut self, path: &Path) -> Result<(), ProfileError> {
        let name = path.display().to_string();
        let unreadable =
            |error: std::io::Error| ProfileError { file: name.clone(), line: 1, message: error.to_string() };
        let text = bounded::read_text(path, bounded::MAX_SETTINGS_BYTES).map_err(unreadable)?;
        // A profile whose check fails must not replace another one.
        let mut added = self.clone();
        added.add(&name, &text)?;
        *self = added;
        Ok(())
    }

    /// The errors of the user's files that cannot be used.
    pub fn broken(&self) -> impl Iterator<Item = &ProfileError> {
        self.broken.values()
    }

    /// The profile of that name.
    pub fn get(&self, name: &str) -> Result<&Arc<Profile>, UnknownSolver> {
        if let Some(error) = self.broken.get(name) {
            return Err(UnknownSolver::Broken { name: name.to_owned(), error: error.clone() });
        }
        self.by_name.get(name).ok_or_else(|| {
            let known = || self.by_name.keys().map(String::as_str);
            UnknownSolver::NoProfile {
                name: name.to_owned(),
                hint: match name.contains('/') {
                    true => format!(" (for a program of your own, write z3={name} or the like)"),
                    false => suggest::hint(name, known()),
                },
                known: known().collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// The profile whose name the installed versions of `profile` have: itself, or that of its `installed_as`.
    pub fn installed_as<'a>(&'a self, profile: &'a Arc<Profile>) -> &'a Arc<Profile> {
        profile.installed_as.as_ref().and_then(|name| self.by_name.get(name)).unwrap_or(profile)
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Profile>> {
        self.by_name.values()
    }
}

/// Returns true unless a profile is the main one of its family: z3, and neither spacer nor a user's profile for a build of z3.
fn is_variant(profile: &Profile) -> bool {
    let is_built_in = BUILT_IN.iter().any(|(file, _)| file.strip_suffix(".toml") == Some(&profile.name));
    !is_built_in || profile.output_like.is_some()
}

/// The text of a profile that extends a built-in one: the keys of that one, except those that the file has itself. `None` if it
/// extends none.
fn extended(file: &str, text: &str) -> Result<Option<String>, ProfileError> {
    // `Profile::read` reports text that is no TOML.
    let Ok(mut own) = text.parse::<toml::Table>() else { return Ok(None) };
    let Some(name) = own.remove("extends") else { return Ok(None) };
    let name = name.as_str().unwrap_or_default().to_owned();
    let Some((_, base)) = BUILT_IN.iter().find(|(file, _)| file.strip_suffix(".toml") == Some(name.as_str()))
    else {
        let known = BUILT_IN.iter().filter_map(|(file, _)| file.strip_suffix(".toml"));
        let message =
            format!("there is no built-in profile `{name}` to extend{}", suggest::hint(&name, known));
        return Err(ProfileError { file: file.to_owned(), line: line_of(text, "extends"), message });
    };
    let mut merged: toml::Table = base.parse().expect("a test reads every built-in profile");
    merged.extend(own);
    Ok(Some(merged.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_profile_is_read_and_named_as_its_file() {
        let profiles = Profiles::built_in();
        let names: Vec<String> = profiles.all().map(|profile| format!("{}.toml", profile.name)).collect();
        assert_eq!(names, BUILT_IN.iter().map(|(file, _)| (*file).to_owned()).collect::<Vec<_>>());
        for (file, text) in BUILT_IN {
            profiles.clone().add(file, text).unwrap_or_else(|error| panic!("{error}"));
        }
        for profile in profiles.all() {
            assert!(!profile.drivers.is_empty() && !profile.logics.is_empty(), "{}", profile.name);
            let known = |name: &Option<String>| name.as_ref().is_none_or(|name| profiles.get(name).is_ok());
            assert!(known(&profile.installed_as) && known(&profile.output_like), "{}", profile.name);
        }
    }

    #[test]
    fn a_profile_extends_a_built_in_one() {
        let mut profiles = Profiles::built_in();
        let checker = "[proof_checker]\nname = \"c\"\ncommand = [\"c\"]\naccepts = 'yes'\nrejects = 'no'\n";
        profiles.add("cvc5.toml", &format!("extends = \"cvc5\"\ntitle = \"mine\"\n{checker}")).unwrap();
        let profile = profiles.get("cvc5").unwrap();
        assert_eq!((profile.title.as_str(), profile.family.as_str()), ("mine", "cvc"));
        assert_eq!(profile.proof_checker.as_ref().unwrap().command, ["c"]);
        let built_in = Profiles::built_in();
        assert_eq!(profile.pattern.len(), built_in.get("cvc5").unwrap().pattern.len());
        let refused = |text: &str| built_in.clone().add("x.toml", text).unwrap_err().to_string();
        let error = refused("\nextends = \"cvc55\"\n");
        assert_eq!(error, "x.toml:2: there is no built-in profile `cvc55` to extend (did you mean `cvc5`?)");
        assert!(refused("extends = \"cvc5\"\ntitel = \"x\"\n").contains("unknown key `titel`"));
        let no_program = checker.replace("[\"c\"]", "[]");
        assert!(refused(&format!("extends = \"cvc5\"\n{no_program}")).contains("`command` is empty"));
    }

    #[test]
    fn roots_that_yices_rounds_are_not_held_against_it() {
        let profiles = Profiles::built_in();
        let excuse = |model: &str| profiles.get("yices").unwrap().model_excuse("", model, None);
        assert!(excuse("(define-fun x () Real (- 1.414214))").is_some());
        assert_eq!(excuse("(define-fun x () Real 2.0) (define-fun y () Real (/ 1 2))"), None);
    }

    #[test]
    fn every_file_in_the_folder_is_built_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|file| file != "any.toml")
            .collect();
        files.sort();
        let mut built_in: Vec<&str> = BUILT_IN.iter().map(|(file, _)| *file).collect();
        built_in.sort_unstable();
        assert_eq!(files, built_in);
    }

    #[test]
    fn a_profile_of_the_user_is_added_or_replaces_a_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let z3 = include_str!("../profiles/z3.toml");
        std::fs::write(folder.path().join("mine.toml"), z3.replace("name = \"z3\"", "name = \"mine\""))
            .unwrap();
        std::fs::write(folder.path().join("z3.toml"), z3.replace("title = \"Z3\"", "title = \"My Z3\""))
            .unwrap();
        let mut profiles = Profiles::built_in();
        profiles.add_folder(folder.path());
        assert_eq!(profiles.get("mine").unwrap().title, "Z3");
        assert_eq!(profiles.get("z3").unwrap().title, "My Z3");
    }

    #[test]
    fn a_broken_profile_of_the_user_concerns_only_its_solver() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cvc5.toml"), "name = \"cvc5\"\nnonsense = 1\n").unwrap();
        let mut profiles = Profiles::built_in();
        profiles.add_folder(folder.path());
        assert_eq!(profiles.get("z3").unwrap().title, "Z3");
        let error = profiles.get("cvc5").unwrap_err().to_string();
        assert!(
            error.starts_with("the profile of cvc5 cannot be used: ")
                && error.ends_with("cvc5.toml, line 2, is wrong"),
            "{error}"
        );
        assert_eq!(profiles.broken().count(), 1);
    }

    #[test]
    fn an_unknown_solver_is_an_error_that_suggests_the_nearest() {
        let error = Profiles::built_in().get("bitwulza").unwrap_err().to_string();
        assert!(error.starts_with("unknown solver `bitwulza` (did you mean `bitwuzla`?)"), "{error}");
        let error = Profiles::built_in().get("./z3").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown solver `./z3` (for a program of your own, write z3=./z3"),
            "{error}"
        );
    }

    #[test]
    fn the_theories_and_names_of_profiles_are_in_the_tables_of_the_language() {
        let table = gainsay_smt::Signature::standard();
        let tables: Vec<&str> = table.theories().iter().map(String::as_str).collect();
        for profile in Profiles::built_in().all() {
            let named = profile.theories.iter().chain(&profile.lacks);
            let unknown: Vec<&String> = named.filter(|name| !tables.contains(&name.as_str())).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?} of {tables:?}", profile.name);
            let is_standard = |name: &String| gainsay_smt::signature::is_standard(name);
            assert!(
                !profile.theories.iter().any(is_standard),
                "{}: standard options need no row",
                profile.name
            );
            assert!(
                profile.lacks.iter().all(is_standard),
                "{}: only standard names can be lacking",
                profile.name
            );
        }
    }
}
