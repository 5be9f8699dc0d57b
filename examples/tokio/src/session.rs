//! The loop: what [`relay_baton::driver`] does, with every model and tool in a task of its own.
//!
//! One thing is kept to throughout: the record of a step is on the board before anything else of that step is begun. What
//! was begun sends what came of it back over a channel, and one by one that is put into the engine.

use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use relay_baton::baton::Timestamp;
use relay_baton::board::Board;
use relay_baton::charter::Charter;
use relay_baton::count::Encoding;
use relay_baton::driver;
use relay_baton::engine::{Engine, Input, Output, Start, Status, World as Abilities};
use relay_baton::memory::Memory;
use relay_baton::port::Shelf;
use relay_baton::refusal::{Code, Refusal, Refused};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::world::{Question, World};

/// What a task needs to know of the world's abilities: how tokens are counted, and that no output has to be validated.
const ABILITIES: Abilities<'_> = Abilities { counter: &Encoding::O200kBase, validator: None };

/// A task that is carried out in this process.
pub(crate) struct Session {
    board: Board<Memory>,
    engine: Engine,
    world: Arc<World>,
    shelf: Shelf,
    /// What is under way. It ends with the session, as it would with the process.
    under_way: JoinSet<()>,
    sender: UnboundedSender<Input>,
    inputs: UnboundedReceiver<Input>,
}

impl Session {
    /// Starts a task on an empty board.
    pub(crate) fn start(
        board: Board<Memory>,
        charter: Charter,
        start: Start,
        world: &Arc<World>,
    ) -> Result<Self, Refused> {
        let (engine, outputs) = Engine::start(charter, start, &now(), ABILITIES)?;
        let mut session = Self::of(board, engine, world);
        session.carry_out(outputs)?;
        Ok(session)
    }

    /// Goes on with the task of a process that is gone.
    pub(crate) fn resume(mut board: Board<Memory>, world: &Arc<World>) -> Result<Self, Refused> {
        let engine = driver::load(&mut board)?.ok_or_else(|| Refusal::new(Code::RunNone, "", "there is no task"))?;
        let mut session = Self::of(board, engine, world);
        let outputs = session.engine.handle(Input::Resumed, &now(), ABILITIES)?;
        // All that came of it is outstanding too, but for the record.
        let records = outputs.into_iter().filter(|output| matches!(output, Output::Record(_)));
        session.carry_out(records.collect())?;
        let outstanding = session.engine.outstanding();
        session.carry_out(outstanding)?;
        Ok(session)
    }

    fn of(board: Board<Memory>, engine: Engine, world: &Arc<World>) -> Self {
        let (sender, inputs) = unbounded_channel();
        let (world, shelf, under_way) = (Arc::clone(world), Shelf::default(), JoinSet::new());
        Self { board, engine, world, shelf, under_way, sender, inputs }
    }

    /// Carries the task out until it is over, or until `ends` says of something that happened that the process has ended.
    ///
    /// A program that shall not stay for as long as a person thinks leaves at [`Status::Waiting`] instead.
    pub(crate) async fn run_until(&mut self, ends: impl Fn(&Input) -> bool) -> Result<Status, Refused> {
        while !matches!(self.engine.status(), Status::Over(_)) || !self.inputs.is_empty() {
            let Some(input) = self.inputs.recv().await else { break };
            if ends(&input) {
                break;
            }
            match self.engine.handle(input, &now(), ABILITIES) {
                Ok(outputs) => self.carry_out(outputs)?,
                Err(refusal) if driver::is_late(&refusal) => {}
                Err(refusal) => return Err(refusal.into()),
            }
        }
        Ok(self.engine.status())
    }

    /// What a crash leaves.
    pub(crate) fn into_store(mut self) -> Memory {
        std::mem::take(self.board.store())
    }

    /// Commits the record, which comes first, and begins the rest.
    fn carry_out(&mut self, outputs: Vec<Output>) -> Result<(), Refused> {
        for output in outputs {
            match output {
                // A store that waits for a disk or a network is better off in `spawn_blocking`.
                Output::Record(record) => driver::commit(&mut self.board, &record)?,
                other => self.begin(other)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, output: Output) -> Result<(), Refused> {
        let world = Arc::clone(&self.world);
        match output {
            Output::Ask { key, .. } => {
                let question = self.engine.request(&key).map(|request| Question::of(&request));
                self.spawn(async move { world.ask(key, question).await });
            }
            Output::Invoke(call) => self.spawn(async move { world.invoke(call).await }),
            Output::Request(request) => self.spawn(async move { world.decide(request).await }),
            Output::Doubt(call) => self.spawn(async move { world.resolve(call).await }),
            Output::Gather { run, agent, keys, fields } => {
                let wanted = driver::Wanted { agent: &agent, keys: &keys, fields: fields.as_deref() };
                let (charter, counter) = (self.engine.charter(), ABILITIES.counter);
                let gathered = driver::gather(&mut self.board, charter, &wanted, &mut self.shelf, counter)?;
                self.tell(Input::Gathered { run, gathered });
            }
            Output::Patch { run, .. } => {
                let result = driver::patch(&mut self.board, &output, &now(), ABILITIES.counter);
                self.tell(Input::Patched { run, result });
            }
            Output::Meter(metering) => {
                world.meter(&metering);
                self.tell(Input::Metered { key: metering.key });
            }
            // No data of this charter is kept, and nobody starts its agents by hand.
            Output::Remember { .. } | Output::Present { .. } | Output::Correct { .. } => {}
            Output::Record(_) | Output::Finished(_) => {}
        }
        Ok(())
    }

    fn spawn(&mut self, work: impl Future<Output = Input> + Send + 'static) {
        let sender = self.sender.clone();
        self.under_way.spawn(async move {
            // Nobody listens any more where the process has ended: whoever resumes asks again.
            let _sent = sender.send(work.await);
        });
    }

    fn tell(&self, input: Input) {
        let _sent = self.sender.send(input);
    }
}

fn now() -> Timestamp {
    Timestamp::from(DateTime::<Utc>::from(SystemTime::now()))
}
