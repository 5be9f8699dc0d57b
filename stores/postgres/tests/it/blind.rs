//! A store that is wrong on purpose: where the connection is lost, it sends the same again.

use postgres::{Client, NoTls};
use relay_baton::baton::Id;
use relay_baton::entry::{BoardId, Head, Record};
use relay_baton::store::{AppendError, Batch, Expected, Fault, Saved, Store, Which};
use relay_baton_postgres::Postgres;

/// It appends like this crate, but never looks what became of a lost append.
pub(crate) struct Blind {
    url: String,
    client: Client,
    reader: Postgres,
}

impl Blind {
    pub(crate) fn new(url: &str) -> Self {
        let client = Client::connect(url, NoTls).unwrap();
        Self { url: url.to_owned(), client, reader: Postgres::connect(url).unwrap() }
    }

    fn try_append(&mut self, board: &BoardId, expected: &Expected, record: &Record) -> Result<(), Option<Head>> {
        let old = expected.head();
        let none: (Vec<&str>, Vec<i64>, Vec<&[u8]>) = (Vec::new(), Vec::new(), Vec::new());
        let mut tries = 0;
        let row = loop {
            let answer = self.client.query_one(
                "select moved, seq, digest from relay_baton.append(\
                 $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
                &[
                    &board.tenant.as_str(),
                    &board.task.as_str(),
                    &(expected.seq() as i64),
                    &old.map(|head| head.digest.as_str()),
                    &(record.seq as i64),
                    &record.digest,
                    &vec![record.reference.as_str()],
                    &vec![record.kind.as_str()],
                    &vec![record.key.as_str()],
                    &vec![record.author.as_str()],
                    &vec![record.idempotency_key.as_ref().map(Id::as_str)],
                    &vec![record.digest.as_str()],
                    &vec![record.bytes.as_bytes()],
                    &none.0,
                    &none.1,
                    &none.0,
                    &none.1,
                    &none.2,
                ],
            );
            tries += 1;
            match answer {
                Ok(row) => break row,
                Err(_) if tries < 3 => self.client = Client::connect(&self.url, NoTls).unwrap(),
                Err(error) => panic!("{error}"),
            }
        };
        if !row.get::<_, bool>(0) {
            return Ok(());
        }
        Err(row.get::<_, Option<i64>>(1).map(|seq| Head { seq: seq as u64, digest: row.get(2) }))
    }
}

impl Store for Blind {
    fn head(&mut self, board: &BoardId) -> Result<Option<Head>, Fault> {
        self.reader.head(board)
    }

    fn append(&mut self, board: &BoardId, expected: &Expected, batch: &Batch) -> Result<(), AppendError> {
        self.try_append(board, expected, &batch.records[0]).map_err(AppendError::Moved)
    }

    fn read(&mut self, board: &BoardId, which: Which<'_>) -> Result<Option<Record>, Fault> {
        self.reader.read(board, which)
    }

    fn page(&mut self, board: &BoardId, after: u64, count_max: usize) -> Result<Vec<Record>, Fault> {
        self.reader.page(board, after, count_max)
    }

    fn load(&mut self, board: &BoardId, slot: &Id, number_max: u64) -> Result<Option<Saved>, Fault> {
        self.reader.load(board, slot, number_max)
    }
}
