-- Version 3: workers whose campaign a bandit leads share what they learn.
create table learnt (
    worker bigint primary key,       -- the session; its row in `workers` may be gone
    schedule bytea not null          -- the arms as this session alone knows them, JSON
);
