-- The head row of each board. Whoever appends changes it first, so appends to one board follow one another.
create table relay_baton.board (
    id bigint generated always as identity primary key,
    tenant text collate "C" not null,
    task text collate "C" not null,
    seq bigint not null,
    digest text collate "C",
    constraint board_name unique (tenant, task)
) with (fillfactor = 50);

-- Entries as they were appended. Nothing here reads `bytes`.
create table relay_baton.entry (
    board bigint not null,
    seq bigint not null,
    tenant text collate "C" not null,
    reference text collate "C" not null,
    kind text collate "C" not null,
    key text collate "C" not null,
    author text collate "C" not null,
    idempotency_key text collate "C",
    digest text collate "C" not null,
    bytes bytea not null,
    constraint entry_place primary key (board, seq)
);
-- Of two names that an entry has taken, the one whose index was made first is told.
create unique index entry_reference on relay_baton.entry (board, reference);
create unique index entry_repetition on relay_baton.entry (board, author, idempotency_key)
    where idempotency_key is not null;
create index entry_newest on relay_baton.entry (board, kind, key, seq);

-- Documents that can be replaced.
create table relay_baton.saved (
    board bigint not null,
    tenant text collate "C" not null,
    slot text collate "C" not null,
    number bigint not null,
    bytes bytea not null,
    primary key (board, slot, number)
);

-- Entries stay and heads go forward, whoever asks.
create function relay_baton.refuse() returns trigger language plpgsql as $body$
begin
    raise exception using errcode = 'restrict_violation', message = 'boards only grow';
end
$body$;
create trigger entry_stays before update or delete on relay_baton.entry
    for each row execute function relay_baton.refuse();
create trigger entries_stay before truncate on relay_baton.entry
    for each statement execute function relay_baton.refuse();
create trigger board_stays before delete on relay_baton.board
    for each row execute function relay_baton.refuse();
create trigger boards_stay before truncate on relay_baton.board
    for each statement execute function relay_baton.refuse();
-- After, because a trigger before an update locks the row once more.
create trigger head_goes_forward after update on relay_baton.board
    for each row when (new.seq < old.seq or new.id <> old.id or new.tenant <> old.tenant or new.task <> old.task)
    execute function relay_baton.refuse();

-- A transaction sees one tenant, the one that it names; without a name it sees nothing.
alter table relay_baton.board enable row level security, force row level security;
alter table relay_baton.entry enable row level security, force row level security;
alter table relay_baton.saved enable row level security, force row level security;
create policy of_tenant on relay_baton.board
    using (tenant = current_setting('relay_baton.tenant', true));
create policy of_tenant on relay_baton.entry for select
    using (tenant = current_setting('relay_baton.tenant', true));
create policy on_board_of_tenant on relay_baton.entry for insert
    with check (tenant = current_setting('relay_baton.tenant', true)
        and exists (select from relay_baton.board as of_tenant where of_tenant.id = entry.board));
create policy of_tenant on relay_baton.saved
    using (tenant = current_setting('relay_baton.tenant', true))
    with check (tenant = current_setting('relay_baton.tenant', true)
        and exists (select from relay_baton.board as of_tenant where of_tenant.id = saved.board));

-- The head of a board; no row, or the sequence number 0, where it is empty.
create function relay_baton.head(of_tenant text, of_task text, out seq bigint, out digest text)
returns setof record language plpgsql as $body$
#variable_conflict use_column
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    return query select b.seq, b.digest from relay_baton.board as b where b.tenant = of_tenant and b.task = of_task;
end
$body$;

-- The same, and nobody else appends until the transaction ends.
create function relay_baton.turn(of_tenant text, of_task text, out seq bigint, out digest text)
returns setof record language plpgsql as $body$
#variable_conflict use_column
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    return query select b.seq, b.digest from relay_baton.board as b where b.tenant = of_tenant and b.task = of_task
        for no key update;
end
$body$;

-- Appends a batch if the board ends as expected (0 and null: it is empty), or else tells where it ends.
create function relay_baton.append(
    of_tenant text, of_task text, expected_seq bigint, expected_digest text, new_seq bigint, new_digest text,
    "references" text[], kinds text[], keys text[], authors text[], idempotency_keys text[], digests text[],
    documents bytea[],
    drop_slots text[], drop_numbers bigint[], save_slots text[], save_numbers bigint[], save_documents bytea[],
    out moved boolean, out seq bigint, out digest text
) language plpgsql as $body$
#variable_conflict use_column
declare
    on_board bigint;
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    if expected_seq = 0 then
        insert into relay_baton.board as b (tenant, task, seq, digest) values (of_tenant, of_task, new_seq, new_digest)
            on conflict (tenant, task) do update set seq = excluded.seq, digest = excluded.digest where b.seq = 0
            returning b.id into on_board;
    else
        update relay_baton.board as b set seq = new_seq, digest = new_digest
            where b.tenant = of_tenant and b.task = of_task and b.seq = expected_seq and b.digest = expected_digest
            returning b.id into on_board;
    end if;
    moved := on_board is null;
    if moved then
        -- What was locked in vain need not reach the disk.
        perform set_config('synchronous_commit', 'off', true);
        select b.seq, b.digest into seq, digest from relay_baton.board as b
            where b.tenant = of_tenant and b.task = of_task;
        return;
    end if;
    if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        perform set_config('synchronous_commit', 'on', true);
    end if;
    if new_seq > expected_seq then
        insert into relay_baton.entry
            (board, seq, tenant, reference, kind, key, author, idempotency_key, digest, bytes)
            select on_board, expected_seq + r.place, of_tenant, r.reference, r.kind, r.key, r.author,
                r.idempotency_key, r.digest, r.document
            from unnest("references", kinds, keys, authors, idempotency_keys, digests, documents) with ordinality
                as r (reference, kind, key, author, idempotency_key, digest, document, place)
            order by r.place;
    end if;
    if cardinality(drop_slots) > 0 then
        delete from relay_baton.saved as s using unnest(drop_slots, drop_numbers) as d (slot, number)
            where s.board = on_board and s.slot = d.slot and s.number = d.number;
    end if;
    for place in 1 .. cardinality(save_slots) loop
        insert into relay_baton.saved (board, tenant, slot, number, bytes)
            values (on_board, of_tenant, save_slots[place], save_numbers[place], save_documents[place])
            on conflict (board, slot, number) do update set bytes = excluded.bytes;
    end loop;
end
$body$;

-- The same for one entry and nothing else, which is the most frequent, in less time.
create function relay_baton.append_one(
    of_tenant text, of_task text, expected_seq bigint, expected_digest text, new_digest text,
    reference text, kind text, key text, author text, idempotency_key text, document bytea,
    out moved boolean, out seq bigint, out digest text
) language plpgsql as $body$
#variable_conflict use_column
declare
    on_board bigint;
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    if expected_seq = 0 then
        insert into relay_baton.board as b (tenant, task, seq, digest) values (of_tenant, of_task, 1, new_digest)
            on conflict (tenant, task) do update set seq = excluded.seq, digest = excluded.digest where b.seq = 0
            returning b.id into on_board;
    else
        update relay_baton.board as b set seq = expected_seq + 1, digest = new_digest
            where b.tenant = of_tenant and b.task = of_task and b.seq = expected_seq and b.digest = expected_digest
            returning b.id into on_board;
    end if;
    moved := on_board is null;
    if moved then
        perform set_config('synchronous_commit', 'off', true);
        select b.seq, b.digest into seq, digest from relay_baton.board as b
            where b.tenant = of_tenant and b.task = of_task;
        return;
    end if;
    if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        perform set_config('synchronous_commit', 'on', true);
    end if;
    insert into relay_baton.entry (board, seq, tenant, reference, kind, key, author, idempotency_key, digest, bytes)
        values (on_board, expected_seq + 1, of_tenant, append_one.reference, append_one.kind, append_one.key,
            append_one.author, append_one.idempotency_key, new_digest, document);
end
$body$;

create function relay_baton.entry_at(of_tenant text, of_task text, at_seq bigint)
returns setof relay_baton.entry language plpgsql as $body$
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    return query select e.* from relay_baton.board as b join relay_baton.entry as e on e.board = b.id
        where b.tenant = of_tenant and b.task = of_task and e.seq = at_seq;
end
$body$;

create function relay_baton.entry_named(of_tenant text, of_task text, by_reference text)
returns setof relay_baton.entry language plpgsql as $body$
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    return query select e.* from relay_baton.board as b join relay_baton.entry as e on e.board = b.id
        where b.tenant = of_tenant and b.task = of_task and e.reference = by_reference;
end
$body$;

create function relay_baton.entry_newest(of_tenant text, of_task text, of_kind text, of_key text, before bigint)
returns setof relay_baton.entry language plpgsql as $body$
declare
    on_board bigint;
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    select b.id into on_board from relay_baton.board as b where b.tenant = of_tenant and b.task = of_task;
    return query select e.* from relay_baton.entry as e
        where e.board = on_board and e.kind = of_kind and e.key = of_key and e.seq < before
        order by e.board desc, e.kind desc, e.key desc, e.seq desc limit 1;
end
$body$;

create function relay_baton.entry_repeated(of_tenant text, of_task text, by_author text, by_key text)
returns setof relay_baton.entry language plpgsql as $body$
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    return query select e.* from relay_baton.board as b join relay_baton.entry as e on e.board = b.id
        where b.tenant = of_tenant and b.task = of_task and e.author = by_author and e.idempotency_key = by_key;
end
$body$;

-- Entries after a place: at most `count_max`, and none that starts after `bytes_max` bytes of others.
create function relay_baton.page(of_tenant text, of_task text, after bigint, count_max bigint, bytes_max bigint)
returns setof relay_baton.entry language plpgsql as $body$
declare
    on_board bigint;
    found relay_baton.entry;
    size bigint := 0;
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    select b.id into on_board from relay_baton.board as b where b.tenant = of_tenant and b.task = of_task;
    for found in select e.* from relay_baton.entry as e where e.board = on_board and e.seq > after
        order by e.board, e.seq limit count_max
    loop
        exit when size >= bytes_max;
        size := size + octet_length(found.bytes);
        return next found;
    end loop;
end
$body$;

create function relay_baton.load(of_tenant text, of_task text, of_slot text, number_max bigint,
    out number bigint, out bytes bytea)
returns setof record language plpgsql as $body$
#variable_conflict use_column
declare
    on_board bigint;
begin
    perform set_config('relay_baton.tenant', of_tenant, true);
    select b.id into on_board from relay_baton.board as b where b.tenant = of_tenant and b.task = of_task;
    return query select s.number, s.bytes from relay_baton.saved as s
        where s.board = on_board and s.slot = of_slot and s.number <= number_max
        order by s.board desc, s.slot desc, s.number desc limit 1;
end
$body$;

-- Lets a role work with boards: read and append, never change or remove an entry.
create function relay_baton.admit(who text) returns void language plpgsql as $body$
begin
    -- To grant what one may not grant is a warning only.
    if not pg_has_role((select relowner from pg_class where oid = 'relay_baton.entry'::regclass), 'usage') then
        raise exception using errcode = 'insufficient_privilege', message = 'only the owner admits';
    end if;
    execute format('grant usage on schema relay_baton to %I', who);
    execute format('grant select on relay_baton.about, relay_baton.board, relay_baton.entry, relay_baton.saved to %I', who);
    execute format('grant insert (tenant, task, seq, digest), update (seq, digest) on relay_baton.board to %I', who);
    execute format('grant insert on relay_baton.entry to %I', who);
    execute format('grant insert, update (bytes), delete on relay_baton.saved to %I', who);
end
$body$;
