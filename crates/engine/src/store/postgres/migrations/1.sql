-- Version 1 of the tables of a shared store. Texts of users and solvers are bytea: they may hold any character, and text of
-- PostgreSQL holds no zero.

-- One row: the campaign itself.
create table campaign (
    id integer primary key check (id = 1),
    plan bytea not null,             -- as it was first given, TOML
    tally bytea not null,            -- the counts of workers whose rows were removed, JSON
    ended_below bigint not null,     -- chains below this number have ended, and have no row in `chains`
    opened bigint not null,          -- chains below this number have a row in `leases`, or have ended
    weights bytea not null,          -- records of mutations, JSON; may be empty
    schedule bytea not null          -- records of arms, JSON; may be empty
);

-- A row for each session of a worker. The counts of the campaign are the sum of these tallies and of the campaign's.
create table workers (
    id bigint generated always as identity primary key,
    name text not null,              -- machine and process
    joined timestamptz not null default clock_timestamp(),
    seen timestamptz not null default clock_timestamp(),
    departed timestamptz,            -- when it left; null: it works, or has vanished
    batches bigint not null default 0,
    tally bytea not null             -- the counts of this session, JSON
);

-- The chains that have not ended. A chain is free if no worker holds it, or if its lease has expired by the clock of the server.
create table leases (
    chain bigint primary key,
    worker bigint,
    until timestamptz
);
create index leases_of_worker on leases (worker);

create table chains (
    chain bigint primary key,
    next bigint,                     -- the step that comes next; null: it has ended
    out bytea not null               -- solvers that are out for the rest of it, JSON: [[solver, reason], …]
);

create table findings (
    fingerprint bytea primary key,
    first_case bigint not null,      -- -1: a seed itself showed it
    seed bytea not null,
    count bigint not null,
    seconds bigint not null,
    known boolean not null,
    record bytea not null            -- the whole record of the first sighting, JSON
);

-- What users say about findings.
create table marks (
    fingerprint bytea primary key,
    mark text not null check (mark in ('known', 'filed')),
    link bytea not null
);

-- The lowest numbers of the cases that showed a finding.
create table sightings (
    fingerprint bytea not null,
    number bigint not null,
    primary key (fingerprint, number)
);

-- The files of a finding's folder.
create table exhibits (
    fingerprint bytea not null,
    name text not null,              -- its path in the folder
    content bytea not null,          -- compressed (zlib)
    primary key (fingerprint, name)
);

create table samples (
    seconds double precision primary key,
    cases bigint not null,
    findings bigint not null,
    solver_cpu double precision not null,
    own_cpu double precision not null
);

-- All seeds in their order, used or not.
create table roster (
    place bigint primary key,
    name bytea not null,
    hash bytea not null,
    status text,                     -- that it claims: sat, unsat or unknown; null: none
    sorts bytea not null,            -- names of the sorts of its variables, a blank between them
    asked boolean not null,          -- it claims none, and solvers were asked
    found text                       -- the status that they found; null: none
);

-- The texts of those that were used.
create table seeds (
    hash bytea primary key,
    name bytea not null,
    text bytea not null,             -- compressed (zlib)
    advice bytea not null            -- the helper's values and advice, JSON; may be empty
);

-- What chains were begun with, where that does not follow from their numbers.
create table starts (
    chain bigint primary key,
    seed bigint not null,            -- its place in `roster`
    weights bytea not null,
    strategies text not null,        -- of its steps, with commas between them, if an agent chose them; empty: drawn
    visits bigint not null
);

-- The ways that solvers took.
create table traces (
    identity text primary key        -- 32 hexadecimal digits
);
