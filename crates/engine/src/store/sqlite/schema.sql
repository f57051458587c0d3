-- The tables of a campaign's store, format 8 (`PRAGMA user_version`).
-- Numbers of cases and chains are integers of 63 bits: a campaign that needs more has run for longer than there is time.

-- One row: the campaign itself.
create table campaign (
    id integer primary key check (id = 1),
    plan text not null,              -- as it was first given, TOML
    tally text not null,             -- the counts, JSON
    ended_below integer not null,    -- chains below this number have ended, and have no row in `chains`
    weights text not null,           -- records of mutations, JSON; may be empty
    schedule text not null,          -- records of arms, JSON; may be empty
    plan_sum text not null,          -- the checksum of `plan`
    tally_sum text not null          -- the checksum of `tally`
) strict;

create table chains (
    chain integer primary key,
    next integer,                    -- the step that comes next; null: it has ended
    out text not null                -- solvers that are out for the rest of it, JSON: [[solver, reason], …]
) strict;

create table findings (
    id integer primary key,
    fingerprint text not null unique,
    kind text not null,
    suspect text not null,
    evidence text not null,
    explanation text not null,
    count integer not null,
    first_case integer,              -- null: a seed itself showed it
    strategy text not null,
    seed text not null,
    seconds integer not null,
    known integer not null,
    path text not null,
    sum text not null                -- the checksum of all other columns but `id`
) strict;

-- The lowest numbers of the cases that showed a finding.
create table sightings (
    finding integer not null,
    number integer not null,
    primary key (finding, number)
) strict, without rowid;

create table samples (
    seconds real primary key,
    cases integer not null,
    findings integer not null,
    solver_cpu real not null,
    own_cpu real not null
) strict, without rowid;

-- All seeds in their order, used or not.
create table roster (
    place integer primary key,
    name text not null,
    hash text not null,
    status text,                     -- that it claims: sat, unsat or unknown; null: none
    sorts text not null,             -- names of the sorts of its variables, a blank between them
    asked integer not null,          -- 1: it claims none, and solvers were asked
    found text                       -- the status that they found; null: none
) strict;

-- The texts of those that were used.
create table seeds (
    hash text primary key,
    name text not null,
    text blob not null,              -- compressed (zlib)
    "values" text not null           -- the helper's values and advice, JSON; may be empty
) strict, without rowid;

-- What chains were begun with, where that does not follow from their numbers; rows stay when chains end.
create table starts (
    chain integer primary key,
    seed integer not null,           -- its place in `roster`
    weights integer not null,        -- the row of `weights`
    strategies text not null,        -- of its steps, with commas between them, if an agent chose them; empty: drawn
    visits integer not null          -- how often the same was begun with this seed before
) strict;

-- What mutations were drawn by, JSON; many chains have the same.
create table weights (
    id integer primary key,
    text text not null unique
) strict;

-- The ways that solvers took.
create table traces (
    identity text primary key        -- 32 hexadecimal digits
) strict, without rowid;
