//! What a store says when it cannot, and what it must not say.

use std::net::TcpListener;
use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::Client;
use relay_baton::refusal::{Code, Refusal};
use relay_baton::store::{AppendError, Expected, Fault, Store as _, Which};
use relay_baton_postgres::Postgres;
use relay_baton_postgres_server::{Server, is_skipped};

use crate::entries::{all, batch, board, post, record};
use crate::place::Database;

/// What no message may hold: parts of the addresses, and what entries say.
const SECRETS: [&str; 9] =
    ["s3cret", "keeper", "127.0.0.1", "localhost", "boards_", "wrong-word", "guest", "acme", "weather"];

/// The code of `fault`, which tells nothing that it must not.
fn code(fault: Fault) -> Code {
    let refusal = Refusal::from(fault.clone());
    for text in [fault.detail.clone(), format!("{fault:?}"), format!("{refusal:?}"), refusal.to_string()] {
        for secret in SECRETS {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(!text.contains('\n'), "{text}");
    }
    assert!(fault.detail.starts_with(|first: char| first.is_lowercase()) && !fault.detail.ends_with('.'));
    fault.code
}

fn refusal(url: &str) -> Code {
    code(Postgres::connect(url).expect_err("a refusal"))
}

fn appending(store: &mut Postgres, number: u64) -> Code {
    let board = board("acme", "login");
    let head = store.head(&board).unwrap();
    let record = record(&board, head.as_ref(), number);
    match store.append(&board, &Expected::of(head), &batch(vec![record])) {
        Err(AppendError::Fault(fault)) => code(fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_is_not_let_in_is_denied() {
    let Some(database) = Database::empty() else { return };
    let role = database.role("guest");
    let url = database.url();
    for url in [
        database.url_of(&role, "wrong-word"),
        database.url_of("guest-that-is-not", "wrong-word"),
        url.replace(&format!(":{}@", database.password()), "@"),
        url.replace("boards_", "boards_not_"),
        "localhost/boards_x".to_owned(),
        "mysql://keeper:s3cret@localhost/boards_x".to_owned(),
        "postgres://keeper:s3cret@localhost:x/boards_".to_owned(),
        format!("{url}?sslmode=s3cret"),
        format!("{url}?s3cret=acme"),
    ] {
        assert_eq!(refusal(&url), Code::StoreDenied, "{url}");
    }
    let without = url.replace(&format!(":{}@", database.password()), "@");
    assert!(Postgres::connect_with_password(&without, database.password()).is_ok());
    assert_eq!(code(Postgres::connect_with_password(&without, "wrong-word").unwrap_err()), Code::StoreDenied);
    assert!(Postgres::connect_with_password(&url, "wrong-word").is_ok(), "the address counts more");
    assert!(!format!("{:?}", Postgres::connect(&url).unwrap()).contains("s3cret"));
}

#[test]
fn a_server_that_does_not_answer_is_unavailable() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let start = Instant::now();
    let url = format!("postgres://keeper:s3cret@127.0.0.1:{port}/x?connect_timeout=1");
    assert_eq!(refusal(&url), Code::StoreUnavailable);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(silent);
    assert_eq!(refusal(&url), Code::StoreUnavailable);
    assert_eq!(refusal("postgres://keeper:s3cret@no-such-host.invalid/x"), Code::StoreUnavailable);
    assert_eq!(refusal("postgres://keeper:s3cret@%2Fno-such-folder/x"), Code::StoreUnavailable);
}

#[test]
fn a_server_that_went_is_unavailable() {
    if is_skipped() {
        return;
    }
    let server = Server::start().unwrap();
    let mut store = Postgres::connect(&server.url()).unwrap();
    let board = board("acme", "login");
    let first = post(&mut store, &board, 1);
    let next = batch(vec![record(&board, Some(&first.head()), 2)]);
    drop(server);
    sleep(Duration::from_millis(700));
    let answer = store.append(&board, &Expected::Head(first.head()), &next);
    let Err(AppendError::Fault(fault)) = answer else { panic!("{answer:?}") };
    assert_eq!(code(fault), Code::StoreUnavailable, "nothing was sent, so nothing is in doubt");
    assert_eq!(code(store.head(&board).unwrap_err()), Code::StoreUnavailable);
}

#[test]
fn a_connection_that_was_ended_is_made_again() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    let board = board("acme", "login");
    let mut end = {
        let mut client = database.client();
        move || {
            let question = "select pg_terminate_backend(pid, 5000) from pg_stat_activity \
                            where application_name = 'relay-baton' and datname = current_database()";
            assert_eq!(client.query(question, &[]).unwrap().len(), 1);
        }
    };
    for number in 0..3 {
        end();
        post(&mut store, &board, number);
        end();
        let newest = all(&mut store, &board).pop().unwrap();
        let next = record(&board, Some(&newest.head()), 10 + number);
        end();
        store.append(&board, &Expected::Head(newest.head()), &batch(vec![next])).unwrap();
    }
    assert_eq!(all(&mut store, &board).len(), 6);
}

#[test]
fn who_may_only_read_reads() {
    let Some(database) = Database::empty() else { return };
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    let read_only = format!("alter database {name} set default_transaction_read_only = on");
    let mut store = Postgres::connect(&database.url()).unwrap();
    let stands = post(&mut store, &board("acme", "login"), 1);
    database.client().batch_execute(&read_only).unwrap();
    let mut store = Postgres::connect(&database.url()).unwrap();
    assert_eq!(appending(&mut store, 2), Code::StoreReadOnly);
    assert_eq!(all(&mut store, &board("acme", "login")), [stands]);
    let database = Database::empty().unwrap();
    let name = database.url().rsplit('/').next().unwrap().to_owned();
    database.client().batch_execute(&format!("alter database {name} set default_transaction_read_only = on")).unwrap();
    assert_eq!(refusal(&database.url()), Code::StoreReadOnly, "there are no tables yet");
}

#[test]
fn who_waits_too_long_is_told_that_others_are_busy() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    let first = post(&mut store, &board("acme", "login"), 1);
    let mut client = database.client();
    client.batch_execute("begin; select from relay_baton.board for update").unwrap();
    let start = Instant::now();
    assert_eq!(appending(&mut store, 2), Code::StoreBusy);
    let waited = start.elapsed();
    assert!(waited > Duration::from_secs(9) && waited < Duration::from_secs(20), "{waited:?}");
    // Whoever reads does not wait.
    let start = Instant::now();
    assert_eq!(store.head(&board("acme", "login")), Ok(Some(first.head())));
    assert!(start.elapsed() < Duration::from_secs(2));
    client.batch_execute("rollback").unwrap();
    post(&mut store, &board("acme", "login"), 3);
}

/// Lets the next insert of an entry fail with `state`.
fn fail_with(client: &mut Client, state: &str) {
    let text = format!(
        "create or replace function fail() returns trigger language plpgsql as $$ begin \
         raise exception using errcode = '{state}', message = 's3cret of acme', detail = 'weather', hint = 'guest'; \
         end $$; create or replace trigger fail before insert on relay_baton.entry for each row execute function fail()"
    );
    client.batch_execute(&text).unwrap();
}

#[test]
fn a_failure_is_told_by_its_state_alone() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    let mut client = database.client();
    for (state, expected) in [
        ("53100", Code::StoreFull),
        ("53200", Code::StoreUnavailable),
        ("XX001", Code::StoreDamaged),
        ("XX002", Code::StoreDamaged),
        ("25006", Code::StoreReadOnly),
        ("57014", Code::StoreBusy),
        ("40001", Code::StoreBusy),
        ("40P01", Code::StoreBusy),
        ("42501", Code::StoreDenied),
        ("23505", Code::StoreDamaged),
        ("42P01", Code::StoreForeign),
        ("P0001", Code::StoreUnavailable),
    ] {
        fail_with(&mut client, state);
        assert_eq!(appending(&mut store, 1), expected, "{state}");
    }
    client.batch_execute("drop function fail cascade").unwrap();
    assert_eq!(post(&mut store, &board("acme", "login"), 1).seq, 1, "nothing was left by what failed");
}

#[test]
fn rows_that_were_never_appended_are_damage() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    let board = board("acme", "login");
    for number in 0..3 {
        post(&mut store, &board, number);
    }
    let mut client = database.client();
    client.batch_execute("set session_replication_role = replica").unwrap();
    for (change, back) in [
        ("reference = 'acme'", "reference = '0000000000000001'"),
        ("kind = 'two words'", "kind = 'fact'"),
        ("author = ''", "author = 'scout'"),
        ("bytes = '\\xff'", "bytes = '{}'"),
    ] {
        client.batch_execute(&format!("update relay_baton.entry set {change} where seq = 2")).unwrap();
        assert_eq!(code(store.read(&board, Which::Seq(2)).unwrap_err()), Code::StoreDamaged, "{change}");
        assert_eq!(code(store.page(&board, 0, 9).unwrap_err()), Code::StoreDamaged, "{change}");
        client.batch_execute(&format!("update relay_baton.entry set {back} where seq = 2")).unwrap();
        assert!(store.read(&board, Which::Seq(2)).is_ok(), "{back}");
    }
    client.batch_execute("update relay_baton.board set seq = 2, digest = 'sha256:0'").unwrap();
    assert_eq!(appending(&mut store, 9), Code::StoreDamaged, "the head is behind the entries");
}

#[test]
fn inside_an_asynchronous_task_it_says_so() {
    let Some(database) = Database::empty() else { return };
    let mut store = Postgres::connect(&database.url()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        assert_eq!(code(store.head(&board("acme", "login")).unwrap_err()), Code::StoreUnavailable);
        assert_eq!(refusal(&database.url()), Code::StoreUnavailable);
        drop(store);
    });
    drop(runtime);
}
