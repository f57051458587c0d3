//! `gainsay fleet kubernetes PLAN`: an Indexed Job with a pod for each shard, and the job that joins them; or a Job of workers that share a store.
//!
//! The pods share a volume, which holds the seeds and gets the records; each runs in a scratch volume of its own, as a user without privileges, on a read-only root.
//! A pod that is evicted copies its records within its grace period, and its index runs again. A PodDisruptionBudget lets a drained node evict half of the pods at a
//! time; for jobs, it can only be a number of pods.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use gainsay_engine::store::origin::shell;
use gainsay_engine::store::postgres::StoreAddress;
use serde_json::{Value, json};

use super::{Fleet, FleetSize, SHARD_SCRIPT, check_new, usage, write, yaml};
use crate::json;
use crate::json::campaigns::WrittenFleet;
use crate::report::print;

const KUBERNETES_EXAMPLES: &str = "Examples:
  gainsay fleet kubernetes nightly.toml --image registry.example/gainsay:1 --claim fuzzing --out nightly-fleet
  gainsay fleet kubernetes nightly.toml --image registry.example/gainsay:1 --claim fuzzing --shards 200 --parallel 50 --namespace smt
  gainsay fleet kubernetes nightly.toml --image registry.example/gainsay:1 --claim fuzzing --shards 50 --store postgres://fuzz@db/nightly --secret db

The image has gainsay and the solvers of the plan (contrib/container/Containerfile builds one). The claim is a
PersistentVolumeClaim that all pods can write (ReadWriteMany); relative paths of the plan, like seeds, are paths in it. The folder
--out gets fleet.yaml and merge.yaml for `kubectl apply`. With --store, --shards is the number of workers. docs/fleet.md has more.";

/// The user of the pods.
const POD_USER: u32 = 65532;
/// Where the shared volume is mounted.
const DATA_FOLDER: &str = "/data";
/// Where the plan and the script are mounted.
const CONFIG_FOLDER: &str = "/etc/gainsay";
/// Where a pod may write.
const SCRATCH_FOLDER: &str = "/scratch";
/// Seconds that an evicted pod has for its running cases and the copy of its records.
const GRACE_SECONDS: u64 = 300;
/// Failures of a shard before it is given up.
const MAX_FAILURES: u64 = 3;

/// Arguments of `gainsay fleet kubernetes`.
#[derive(Debug, Args)]
#[command(after_help = KUBERNETES_EXAMPLES)]
pub struct KubernetesArgs {
    #[command(flatten)]
    size: FleetSize,
    /// The image with gainsay and the solvers.
    #[arg(long, value_name = "NAME")]
    image: String,
    /// The PersistentVolumeClaim with the seeds, which gets the records.
    #[arg(long, value_name = "NAME")]
    claim: String,
    /// Number of pods at a time [default: all shards].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    parallel: Option<u64>,
    /// The namespace [default: the one of kubectl].
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Start workers that share this store: postgres://USER@HOST/DATABASE [default: shards, which need no store].
    #[arg(long, value_name = "STORE", conflicts_with = "parallel")]
    store: Option<String>,
    /// The Secret whose key `password` has the password of the store [default: none].
    #[arg(long, value_name = "NAME", requires = "store")]
    secret: Option<String>,
    /// The new folder for the manifests [default: the name of the plan].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &KubernetesArgs) -> anyhow::Result<ExitCode> {
    let names = [
        ("--claim", Some(&args.claim)),
        ("--namespace", args.namespace.as_ref()),
        ("--secret", args.secret.as_ref()),
    ];
    for (flag, name) in names {
        if let Some(name) = name.filter(|name| !is_object_name(name)) {
            return Err(usage(format!(
                "{flag} {name:?} is not a valid Kubernetes name: small letters, digits, `-` and `.`"
            )));
        }
    }
    if let Some(store) = &args.store {
        check_store(store)?;
    }
    let mut fleet = args.size.fleet()?;
    let beside = args.size.plan.parent().unwrap_or(Path::new("")).to_owned();
    for path in fleet.plan.paths() {
        *path = Path::new(DATA_FOLDER).join(path.strip_prefix(&beside).unwrap_or(path));
    }
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from(args.size.name()));
    check_new(&out)?;
    let manifests = Manifests { args, fleet: &fleet, name: args.size.name() };
    write(&out.join("fleet.yaml"), &yaml::documents(&manifests.fleet()))?;
    write(&out.join("merge.yaml"), &yaml::documents(&[manifests.merge()]))?;
    print(&told(args, &out))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an error if a text is no address of a store, or has a password, which everyone who can read the manifest would see.
fn check_store(store: &str) -> anyhow::Result<()> {
    StoreAddress::read(store, &|_| None).map_err(usage)?;
    let authority =
        store.split("://").nth(1).unwrap_or_default().split(['/', '?']).next().unwrap_or_default();
    let has_password = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    match has_password || store.contains("password=") {
        true => Err(usage("a password does not belong in a manifest: name a Secret with --secret")),
        false => Ok(()),
    }
}

fn told(args: &KubernetesArgs, out: &Path) -> String {
    if args.json {
        let (name, shards) = (args.size.name(), args.size.shards);
        let fleet = WrittenFleet { folder: out.to_owned(), name, shards, array: None, merge: None };
        return json::line(&fleet) + "\n";
    }
    let place = |file: &str| shell(&out.join(file).display().to_string());
    let namespace = args.namespace.as_ref().map(|name| format!(" -n {name}")).unwrap_or_default();
    let (name, apply) = (args.size.name(), format!("kubectl apply{namespace} -f"));
    let what = match args.store {
        Some(_) => format!("a Job of {} workers", args.size.shards),
        None => format!("an Indexed Job for {} shards", args.size.shards),
    };
    format!(
        "wrote {what} to {}\nstart: {apply} {}\n\
         join:  kubectl wait{namespace} --for=condition=complete --timeout=-1s job/{name} && {apply} {}\n",
        shell(&out.display().to_string()),
        place("fleet.yaml"),
        place("merge.yaml"),
    )
}

/// Returns true if it is a DNS subdomain, as names of objects are.
fn is_object_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    (1..=253).contains(&name.len())
        && name.chars().all(|letter| is_letter(letter) || letter == '-' || letter == '.')
        && name.starts_with(is_letter)
        && name.ends_with(is_letter)
}

/// Makes the manifests of a fleet.
struct Manifests<'a> {
    args: &'a KubernetesArgs,
    fleet: &'a Fleet,
    name: String,
}

impl Manifests<'_> {
    /// The plan, the shards, and how many of them may be disturbed at a time.
    fn fleet(&self) -> Vec<Value> {
        let shards = self.args.size.shards;
        let parallel = self.args.parallel.unwrap_or(shards).min(shards);
        let config = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": self.metadata("", "config"),
            "data": { "plan.toml": self.fleet.plan.to_toml(), "shard.sh": SHARD_SCRIPT },
        });
        let mut spec = match &self.args.store {
            Some(store) => self.workers(store),
            None => self.shards(parallel),
        };
        // An eviction is no failure.
        spec["podFailurePolicy"] = json!({ "rules": [
            { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
        ] });
        let job = json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": self.metadata("", "shard"),
            "spec": spec,
        });
        let budget = json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": self.metadata("", "shard"),
            "spec": { "minAvailable": parallel / 2, "selector": { "matchLabels": self.labels("shard") } },
        });
        vec![config, job, budget]
    }

    /// An index for each shard.
    fn shards(&self, parallel: u64) -> Value {
        let shards = self.args.size.shards;
        let script = format!(
            "exec sh {CONFIG_FOLDER}/shard.sh gainsay {CONFIG_FOLDER}/plan.toml {} \"$((JOB_COMPLETION_INDEX + 1))\" {shards} {SCRATCH_FOLDER} {}",
            self.records_folder(),
            self.args.size.checkpoint_seconds()
        );
        json!({
            "completions": shards,
            "parallelism": parallel,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": MAX_FAILURES,
            "maxFailedIndexes": shards,
            "template": { "metadata": { "labels": self.labels("shard") }, "spec": self.pod(&script) },
        })
    }

    /// Workers of a shared store, which end when the campaign does. The first begins the campaign. A shell does not pass SIGTERM on by itself.
    fn workers(&self, store: &str) -> Value {
        let script = format!(
            "gainsay fuzz {CONFIG_FOLDER}/plan.toml --store {} --plain &\npid=$!\ntrap 'kill -TERM $pid' TERM\nwait $pid\ncode=$?\n\
             while kill -0 $pid 2>/dev/null; do wait $pid; code=$?; done\n\
             case $code in 0 | 6 | 10) exit 0 ;; *) exit $code ;; esac\n",
            shell(store)
        );
        json!({
            "parallelism": self.args.size.shards,
            "backoffLimit": MAX_FAILURES * self.args.size.shards,
            "template": { "metadata": { "labels": self.labels("shard") }, "spec": self.pod(&script) },
        })
    }

    /// The job that joins the shards, or copies the store. The user starts it after all pods have ended.
    fn merge(&self) -> Value {
        let records = self.records_folder();
        let parts = self.args.store.as_deref().map_or_else(|| format!("{records}/shards/*/"), shell);
        let script = format!(
            "if [ ! -e {records}/merged ]; then mkdir -p {records} && gainsay merge {records}/merged {parts} || exit; fi\n\
             gainsay triage {records}/merged --installed\n"
        );
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": self.metadata("-merge", "merge"),
            "spec": {
                "backoffLimit": MAX_FAILURES,
                "template": { "metadata": { "labels": self.labels("merge") }, "spec": self.pod(&script) },
            },
        })
    }

    fn pod(&self, script: &str) -> Value {
        let (cpu, memory) = (self.fleet.jobs.to_string(), format!("{}Mi", self.fleet.megabytes));
        let mut variables = vec![
            json!({ "name": "HOME", "value": SCRATCH_FOLDER }),
            json!({ "name": "TMPDIR", "value": SCRATCH_FOLDER }),
        ];
        if let Some(secret) = &self.args.secret {
            let source = json!({ "secretKeyRef": { "name": secret, "key": "password" } });
            variables.push(json!({ "name": "PGPASSWORD", "valueFrom": source }));
        }
        let resources = json!({ "cpu": cpu, "memory": memory, "ephemeral-storage": "4Gi" });
        json!({
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": GRACE_SECONDS,
            "automountServiceAccountToken": false,
            "securityContext": {
                "runAsNonRoot": true,
                "runAsUser": POD_USER,
                "runAsGroup": POD_USER,
                "fsGroup": POD_USER,
                "seccompProfile": { "type": "RuntimeDefault" },
            },
            "containers": [{
                "name": "gainsay",
                "image": self.args.image,
                "command": ["/bin/sh", "-c", script],
                "env": variables,
                "resources": { "requests": resources, "limits": resources },
                "securityContext": {
                    "allowPrivilegeEscalation": false,
                    "readOnlyRootFilesystem": true,
                    "capabilities": { "drop": ["ALL"] },
                },
                "volumeMounts": [
                    { "name": "config", "mountPath": CONFIG_FOLDER, "readOnly": true },
                    { "name": "data", "mountPath": DATA_FOLDER },
                    { "name": "scratch", "mountPath": SCRATCH_FOLDER },
                ],
            }],
            "volumes": [
                { "name": "config", "configMap": { "name": self.name } },
                { "name": "data", "persistentVolumeClaim": { "claimName": self.args.claim } },
                { "name": "scratch", "emptyDir": {} },
            ],
        })
    }

    /// Where the records of the shards are.
    fn records_folder(&self) -> String {
        format!("{DATA_FOLDER}/{}", self.name)
    }

    fn metadata(&self, ending: &str, part: &str) -> Value {
        let mut metadata = json!({ "name": format!("{}{ending}", self.name), "labels": self.labels(part) });
        if let Some(namespace) = &self.args.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }

    fn labels(&self, part: &str) -> Value {
        json!({ "app.kubernetes.io/name": "gainsay", "app.kubernetes.io/instance": self.name, "app.kubernetes.io/component": part })
    }
}
