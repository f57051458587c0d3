-- Version 2: the lowest free chain is found without a look at those that are leased, and renewing a lease leaves the indices alone.
create index leases_free on leases (chain) where worker is null;
alter table leases set (fillfactor = 50);
