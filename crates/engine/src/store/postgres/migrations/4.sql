-- Version 4: workers share the weights of mutations, the code that was reached, and the queue of scripts that reached new code.
alter table learnt add column weights bytea not null default '';   -- of mutations, by the runs of this session alone, JSON
alter table traces add column place bigint generated always as identity;
create index traces_in_order on traces (place);

-- The code of each solver that any worker has reached.
create table reached (
    solver bytea primary key,
    record bytea not null            -- the sites and their growth, JSON; compressed (zlib)
);

-- Scripts that reached new code, from which chains start.
create table queue (
    number bigint primary key,       -- the case that made it
    chains bigint not null,          -- chains that started from it
    script bytea not null            -- the script and its seed, JSON; compressed (zlib)
);
