//! The loop that carries a task out: the engine and the board are on this thread alone, commands on theirs. Nothing that a
//! step brings about is done before its record is on the board.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use relay_baton::baton::Baton;
use relay_baton::charter::Command;
use relay_baton::count::TokenCounter as _;
use relay_baton::desk;
use relay_baton::driver::{self, Wanted};
use relay_baton::engine::{Engine, Input, Invocation, Outcome, Output, Status, Usage};
use relay_baton::entry::Reference;
use relay_baton::json::compact;
use relay_baton::port::Word;
use relay_baton::refusal::{Class, Code, Refused};
use relay_baton::reply::Expected;
use relay_baton_tokens::Encoding;

use super::errand::{self, Back, Errand, Errands, What};
use super::keepsake::Keepsake;
use super::{COUNTER, story, world};
use crate::failure::Failure;
use crate::output::Live;
use crate::place::Opened;
use crate::process::{Ended, Stop};
use crate::settings;

/// How often people's words are looked for while something else is under way.
const LOOK: Duration = Duration::from_secs(1);

/// A task that is carried out.
pub(super) struct Carrier {
    pub(super) opened: Opened,
    pub(super) engine: Engine,
    pub(super) live: Live,
    /// The last correction for each run that a person carries out.
    pub(super) corrections: Vec<(u64, String)>,
    /// The first code of each answer that was sent back.
    pub(super) refused_with: Vec<Code>,
    /// How each run that ended here ended.
    pub(super) endings: Vec<story::RunEnd>,
    queue: VecDeque<Output>,
    errands: Errands,
    folder: PathBuf,
    memory: Keepsake,
    /// What counts the baton's tokens.
    counter: Encoding,
    heard: BTreeSet<Reference>,
}

/// How far a task was carried.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reached {
    /// As far as it goes for now.
    Status(Status),
    /// We were told to stop.
    Stopped,
}

/// What a carrier needs beside the engine.
pub(super) struct Means {
    pub(super) opened: Opened,
    pub(super) folder: PathBuf,
    pub(super) memory: Keepsake,
    pub(super) live: Live,
    pub(super) stop: Stop,
}

impl Carrier {
    /// Carries on with `outputs`, of which the first is the record, if there is one.
    pub(super) fn new(engine: Engine, outputs: Vec<Output>, means: Means) -> Result<Self, Failure> {
        let Means { mut opened, folder, memory, live, stop } = means;
        let newest = opened.board.newest().map_err(|refused| opened.refuse(refused))?;
        let counter = newest.map_or(COUNTER, |newest| counter_of(&newest.baton));
        let mut carrier = Self {
            opened,
            engine,
            live,
            corrections: Vec::new(),
            refused_with: Vec::new(),
            endings: Vec::new(),
            queue: VecDeque::new(),
            errands: Errands::new(stop),
            folder,
            memory,
            counter,
            heard: BTreeSet::new(),
        };
        carrier.take(outputs)?;
        Ok(carrier)
    }

    /// Takes up what was under way when the process that carried it out ended.
    pub(super) fn take_up(&mut self) -> Result<(), Failure> {
        self.feed(Input::Resumed)?;
        self.queue.clear();
        self.queue.extend(self.engine.outstanding());
        Ok(())
    }

    /// Carries it out as far as it goes.
    pub(super) fn carry(&mut self) -> Result<Reached, Failure> {
        let reached = self.go();
        // Whatever still runs now is for nothing, and is not left to itself.
        drop(self.errands.stop());
        while !self.errands.is_idle() {
            let Some(back) = self.errands.next(None) else { break };
            if reached.is_ok() {
                self.late(&back)?;
            }
        }
        reached
    }

    fn go(&mut self) -> Result<Reached, Failure> {
        loop {
            if self.errands.is_stopped() {
                return Ok(Reached::Stopped);
            }
            if let Some(output) = self.queue.pop_front() {
                self.carry_out(output)?;
                continue;
            }
            if self.hear()? {
                continue;
            }
            let status = self.engine.status();
            if self.errands.is_idle() || matches!(status, Status::Over(_)) {
                return Ok(Reached::Status(status));
            }
            if self.errands.are_all(|what| self.is_for_nothing(what)) {
                self.give_up()?;
                return Ok(Reached::Status(self.engine.status()));
            }
            let waits = !self.engine.pending().is_empty() || !self.engine.doubts().is_empty();
            if let Some(back) = self.errands.next(waits.then_some(LOOK)) {
                self.came_back(&back)?;
            }
        }
    }

    /// Whether it is a question whose run is over: its answer has no effect, and only its cost counts.
    fn is_for_nothing(&self, what: &What) -> bool {
        matches!(what, What::Ask { key, .. } if self.engine.request(key).is_none())
    }

    /// Ends questions that nobody waits for, and books what they cost.
    fn give_up(&mut self) -> Result<(), Failure> {
        for errand in self.errands.stop() {
            self.unanswered(&errand.what, Usage::default())?;
        }
        while !self.errands.is_idle() {
            let Some(back) = self.errands.next(None) else { break };
            if let What::Ask { tokens_in, .. } = &back.errand.what {
                let tokens_out = tokens(&String::from_utf8_lossy(&back.ran.stdout));
                self.unanswered(&back.errand.what, Usage { tokens_in: *tokens_in, tokens_out })?;
            }
        }
        while let Some(output) = self.queue.pop_front() {
            self.carry_out(output)?;
        }
        Ok(())
    }

    fn unanswered(&mut self, what: &What, usage: Usage) -> Result<(), Failure> {
        let What::Ask { key, .. } = what else { return Ok(()) };
        let detail = "its run was over before it answered".to_owned();
        self.feed_if_awaited(Input::Unanswered { key: key.clone(), detail, usage })
    }

    /// Puts in what has happened, and records what it brings about.
    pub(super) fn feed(&mut self, input: Input) -> Result<(), Failure> {
        let now = settings::moment(None)?;
        let outputs = self.engine.handle(input, &now, world()).map_err(|refusal| self.opened.refuse(refusal))?;
        self.take(outputs)
    }

    /// The same, where it may be about something that nobody waits for any more.
    fn feed_if_awaited(&mut self, input: Input) -> Result<(), Failure> {
        let now = settings::moment(None)?;
        match self.engine.handle(input, &now, world()) {
            Ok(outputs) => self.take(outputs),
            Err(refusal) if driver::is_late(&refusal) => Ok(()),
            Err(refusal) => Err(self.opened.refuse(refusal)),
        }
    }

    /// Records what came out, and queues the rest.
    pub(super) fn take(&mut self, outputs: Vec<Output>) -> Result<(), Failure> {
        for output in outputs {
            let Output::Record(record) = output else {
                self.queue.push_back(output);
                continue;
            };
            driver::commit(&mut self.opened.board, &record).map_err(|refused| self.opened.refuse(refused))?;
            for post in &record.entries {
                self.endings.extend(story::run_end(post));
                self.refused_with.extend(story::sent_back(post));
                story::tell(self.live, post);
            }
        }
        Ok(())
    }

    /// Hears what people have said on the board; whether there was anything new.
    fn hear(&mut self) -> Result<bool, Failure> {
        let words = desk::words(&mut self.opened.board, &self.engine).map_err(|refused| self.opened.refuse(refused))?;
        let mut heard = false;
        for word in words {
            let (Word::Decided { entry, .. } | Word::Resolved { entry, .. }) = &word;
            // A word that did not count stays on the board, and is not heard twice.
            if entry.as_ref().is_none_or(|entry| self.heard.insert(entry.clone())) {
                heard = true;
                self.feed_if_awaited(driver::input_of(word))?;
            }
        }
        Ok(heard)
    }

    fn carry_out(&mut self, output: Output) -> Result<(), Failure> {
        match output {
            Output::Record(_) => self.take(vec![output]),
            Output::Gather { run, agent, keys, fields } => {
                let wanted = Wanted { agent: &agent, keys: &keys, fields: fields.as_deref() };
                let (board, charter) = (&mut self.opened.board, self.engine.charter());
                let gathered = driver::gather(board, charter, &wanted, &mut self.memory, &self.counter);
                let gathered = gathered.map_err(|refused| self.opened.refuse(refused))?;
                self.feed_if_awaited(Input::Gathered { run, gathered })
            }
            Output::Ask { key, .. } => self.ask(key),
            Output::Invoke(call) => self.invoke(call),
            Output::Patch { run, .. } => {
                let now = settings::moment(None)?;
                match driver::patch(&mut self.opened.board, &output, &now, &self.counter) {
                    Err(refused) if is_of_store(&refused) => Err(self.opened.refuse(refused)),
                    result => self.feed_if_awaited(Input::Patched { run, result }),
                }
            }
            // The traces of the board are the account.
            Output::Meter(metering) => self.feed(Input::Metered { key: metering.key }),
            Output::Remember { key, value } => {
                let tenant = self.opened.board.id().tenant.clone();
                let kept = relay_baton::port::Memory::remember(&mut self.memory, &tenant, &key, &value);
                kept.map_err(|fault| self.opened.refuse(relay_baton::refusal::Refusal::from(fault)))?;
                self.feed(Input::Remembered { key })
            }
            Output::Correct { run, text } => {
                self.corrections.push((run, text));
                Ok(())
            }
            Output::Request(_) | Output::Doubt(_) | Output::Present { .. } | Output::Finished(_) => Ok(()),
        }
    }

    fn ask(&mut self, key: String) -> Result<(), Failure> {
        let Some(request) = self.engine.request(&key) else {
            // Its run is over by now: it is not asked, and costs nothing.
            let detail = "it was not asked".to_owned();
            return self.feed_if_awaited(Input::Unanswered { key, detail, usage: Usage::default() });
        };
        let text = compact(&request.to_value()) + "\n";
        let (agent, step) = (request.agent.name.clone(), request.step.to_string());
        let tokens_in = tokens(&text);
        let Some(command) = request.agent.command.clone() else {
            let detail = "it has no command".to_owned();
            return self.feed(Input::Unanswered { key, detail, usage: Usage::default() });
        };
        let variables = vec![("BATON_BY", agent.to_string()), ("BATON_STEP", step)];
        self.send(What::Ask { key, agent, tokens_in }, command, variables, text);
        Ok(())
    }

    fn invoke(&mut self, call: Invocation) -> Result<(), Failure> {
        let Some(tool) = self.engine.charter().tools.get(&call.tool) else { return Ok(()) };
        let side_effects = tool.side_effects;
        let Some(command) = tool.command.clone() else {
            let outcome = Outcome::Failed("it has no command".to_owned());
            return self.feed(Input::Returned { key: call.key, outcome });
        };
        let text = compact(&call.to_value(self.opened.board.id(), self.engine.person())) + "\n";
        let variables =
            vec![("BATON_BY", call.agent.to_string()), ("BATON_CALL", call.effect_key(self.opened.board.id()))];
        self.send(What::Invoke { key: call.key, side_effects }, command, variables, text);
        Ok(())
    }

    fn send(&mut self, what: What, command: Command, variables: Vec<(&'static str, String)>, input: String) {
        self.errands.send(Errand { what, command, folder: self.folder.clone(), variables, input });
    }

    fn came_back(&mut self, back: &Back) -> Result<(), Failure> {
        if back.ran.ended == Ended::Stopped {
            return self.late(back);
        }
        let errand = Arc::clone(&back.errand);
        match &errand.what {
            What::Ask { key, agent, tokens_in } => {
                let tokens_out = tokens(&String::from_utf8_lossy(&back.ran.stdout));
                let usage = Usage { tokens_in: *tokens_in, tokens_out };
                let key = key.clone();
                self.feed_if_awaited(match errand::answer(back, &Expected { agent, request: &key }) {
                    Ok(reply) => Input::Replied { key, reply, usage },
                    Err(detail) => Input::Unanswered { key, detail, usage },
                })
            }
            What::Invoke { key, .. } => {
                self.feed_if_awaited(Input::Returned { key: key.clone(), outcome: errand::outcome(back) })
            }
        }
    }

    /// What came back after all was over, or after we were told to stop. An agent is asked again another time; how a call
    /// with side effects ended is recorded.
    fn late(&mut self, back: &Back) -> Result<(), Failure> {
        match &back.errand.what {
            What::Invoke { key, side_effects: true } => {
                let outcome = errand::outcome(back);
                self.feed_if_awaited(Input::Returned { key: key.clone(), outcome })
            }
            // It has answered by itself before it was told to stop, and that has its price.
            What::Ask { .. } if matches!(back.ran.ended, Ended::Exited { .. }) => self.came_back(back),
            _ => Ok(()),
        }
    }
}

/// Tokens of `text`, as the task's ceilings count them.
pub(super) fn tokens(text: &str) -> u64 {
    u64::try_from(COUNTER.count(text)).unwrap_or(u64::MAX)
}

fn counter_of(baton: &Baton<'_>) -> Encoding {
    baton.stamp().budget.and_then(|budget| Encoding::named(budget.encoding)).unwrap_or(COUNTER)
}

fn is_of_store(refused: &Refused) -> bool {
    refused.refusals().iter().any(|refusal| refusal.code.class() == Class::Access)
}
