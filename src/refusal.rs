//! The one refusal type: a result with a stable code, a JSON Pointer, and what to do next.
//!
//! A refusal is an answer, not a failure of the program. Codes are stable; the wording of `detail` is not.

use std::borrow::Cow;
use std::fmt;

/// What the receiver of a refusal can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Change what was sent, and send it again.
    Fix,
    /// Start again from the newest revision.
    Retry,
    /// Ask again later: somebody else has to act first.
    Wait,
    /// Nothing that is sent again will be accepted.
    Stop,
}

impl Action {
    /// The word used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Retry => "retry",
            Self::Wait => "wait",
            Self::Stop => "stop",
        }
    }
}

/// What kind of answer a code is. The command line makes its exit code of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A rule said no.
    Refused,
    /// An input is not what it has to be: not JSON, not a baton, no patch or several.
    Unacceptable,
    /// A newer revision changed the same thing.
    Conflict,
    /// Something could not be read or written.
    Access,
}

macro_rules! codes {
    ($($variant:ident $text:literal $class:ident $action:ident $doc:literal;)*) => {
        /// The stable codes of this layer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $doc] $variant,)*
        }

        impl Code {
            /// Every code, in the order of this table.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The code as it stands in reports, such as `guard.kept`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What kind of answer this is.
            #[must_use]
            pub fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// What its receiver can do about it.
            #[must_use]
            pub fn action(self) -> Action {
                match self { $(Self::$variant => Action::$action,)* }
            }

            /// What it means, in one sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

codes! {
    JsonSyntax "json.syntax" Unacceptable Fix "The text is not JSON (RFC 8259).";
    JsonEncoding "json.encoding" Unacceptable Fix "The bytes are not UTF-8, start with a byte-order mark, or hold a lone surrogate.";
    JsonDuplicateName "json.duplicate_name" Unacceptable Fix "An object has two members of one name.";
    JsonDepth "json.depth" Unacceptable Fix "Arrays and objects are nested deeper than the limit.";
    JsonSize "json.size" Unacceptable Fix "The input is larger than the limit.";
    JsonNumber "json.number" Unacceptable Fix "A number cannot be kept exactly by every reader (RFC 7493).";
    JsonEmpty "json.empty" Unacceptable Fix "The input is empty.";
    BatonType "baton.type" Unacceptable Fix "The document is not a baton.";
    PatchNone "patch.none" Unacceptable Fix "The text holds no patch.";
    PatchSeveral "patch.several" Unacceptable Fix "The text holds several different patches.";
    PatchNotObject "patch.not_object" Unacceptable Fix "The patch is not a JSON object.";
    PatchType "patch.type" Refused Fix "A value in the patch has the wrong type.";
    PatchText "patch.text" Refused Fix "A string in the patch holds a forbidden character.";
    PatchUnknownField "patch.unknown_field" Refused Fix "A member's name is nearly that of a known field.";
    PatchUnknownItem "patch.unknown_item" Refused Fix "An edit removes what is not there.";
    PatchReserved "patch.reserved" Refused Fix "The patch writes what only the merge may write.";
    GuardAppendOnly "guard.append_only" Refused Fix "A list that only grows was shortened or changed.";
    GuardKept "guard.kept" Refused Fix "An item that must survive is gone.";
    GuardFrozen "guard.frozen" Refused Fix "A field that must not change was changed.";
    GuardRights "guard.rights" Refused Fix "This step may not write that field.";
    GuardRule "guard.rule" Unacceptable Fix "The guard file is not one.";
    DecisionRewritten "decision.rewritten" Refused Fix "A decision on the log was given another content.";
    DecisionSupersedes "decision.supersedes" Refused Fix "A decision supersedes one that is not on the log.";
    GoalMissing "goal.missing" Refused Fix "The baton has no goal.";
    FitOverBudget "fit.over_budget" Refused Fix "What is never shed is over the token budget by itself.";
    BaseConflict "base.conflict" Conflict Retry "The patch and a newer revision changed the same value.";
    BaseUnknown "base.unknown" Conflict Retry "The revision that the patch was made from is not at hand.";
    BoardUnnamed "board.unnamed" Refused Fix "A tenant or a task is not named.";
    BoardForeign "board.foreign" Refused Fix "The tenant or the task is another than the board's.";
    BoardMissing "board.missing" Refused Fix "The baton is of a board, and the board is not at hand.";
    BoardUnknownEntry "board.unknown_entry" Refused Fix "There is no such entry.";
    BoardLaundering "board.laundering" Refused Fix "An entry would be readable by some who may not read what it was made of.";
    BoardIdempotency "board.idempotency" Refused Fix "An idempotency key was used for something else before.";
    BoardEdited "board.edited" Refused Fix "The baton's file was changed by something else than a patch.";
    BoardCut "board.cut" Refused Stop "The board ends before what is known of it.";
    BoardBroken "board.broken" Refused Stop "The entries of a board are not what was recorded.";
    BoardNotEmpty "board.not_empty" Refused Fix "The board has entries already.";
    CharterSyntax "charter.syntax" Unacceptable Fix "The charter is no TOML or JSON.";
    CharterMember "charter.member" Unacceptable Fix "A member of the charter is unknown, missing, or of the wrong type.";
    CharterName "charter.name" Unacceptable Fix "The charter names something that it does not declare, or declares a name twice.";
    CharterRule "charter.rule" Unacceptable Fix "The charter contradicts itself, or asks for what no charter may.";
    AuthorityUnknown "authority.unknown" Refused Fix "There is no such strategy, agent or tool.";
    AuthorityCaller "authority.caller" Refused Stop "The agent is not callable by this caller.";
    AuthorityUses "authority.uses" Refused Fix "The agent may not use that tool or agent.";
    AuthorityPerson "authority.person" Refused Fix "The person who asked may not use that tool.";
    AuthorityCharter "authority.charter" Refused Fix "The charter is not the one that the run was begun under.";
    DelegationTarget "delegation.target" Refused Fix "The agent may not delegate to that one.";
    DelegationCycle "delegation.cycle" Refused Fix "The agent is in the chain of callers already.";
    DelegationDepth "delegation.depth" Refused Fix "The chain of delegations would be longer than the ceiling.";
    CeilingTokens "ceiling.tokens" Refused Stop "The tokens of the task, or of the run, are spent.";
    CeilingToolCalls "ceiling.tool_calls" Refused Stop "The tool calls of the task, or of the run, are spent.";
    CeilingSpawns "ceiling.spawns" Refused Stop "The agents that may be started by agents are all started.";
    CeilingIterations "ceiling.iterations" Refused Stop "The model calls of the run are spent.";
    CeilingReservation "ceiling.reservation" Refused Stop "There is no such reservation, or it was settled or released before.";
    ApprovalUnknown "approval.unknown" Refused Fix "Nothing of that name waits for a person.";
    ApprovalDecided "approval.decided" Refused Stop "It was decided before.";
    ApprovalExpired "approval.expired" Refused Stop "The time in which it could be decided or used is over.";
    ApprovalApprover "approval.approver" Refused Stop "This one may not decide it.";
    ApprovalVoid "approval.void" Refused Stop "What was to be approved is no longer asked for.";
    ApprovalMismatch "approval.mismatch" Refused Stop "The approval is of another call.";
    CallState "call.state" Refused Stop "A call is not in a state in which that can happen.";
    CallInProgress "call.in_progress" Refused Wait "The same call is under way.";
    ContractViolated "contract.violated" Refused Fix "The output does not meet the agent's contract.";
    ContractValidator "contract.validator" Refused Stop "A contract is declared and nothing can validate it.";
    ReplyNone "reply.none" Refused Fix "The agent answered with nothing.";
    ReplyType "reply.type" Refused Fix "The agent's answer is not one, or asks for several things that exclude each other.";
    ReplyForeign "reply.foreign" Refused Fix "The answer is that of another agent or to another request.";
    RunNone "run.none" Refused Fix "There is no run of that name, or none to go on with.";
    RunUnderWay "run.under_way" Refused Fix "A run of this task is under way already.";
    RunMoved "run.moved" Refused Retry "Somebody else went on with the run.";
    RunModel "run.model" Refused Retry "The agent did not answer.";
    RunFailed "run.failed" Refused Stop "The run failed.";
    PrerequisiteMissing "prerequisite.missing" Refused Wait "Data that a subtask consumes is not there for its agent.";
    ConformanceDiffers "conformance.differs" Refused Fix "An implementation does not answer as a vector expects.";
    StoreUnavailable "store.unavailable" Access Wait "The store does not answer.";
    StoreBusy "store.busy" Access Wait "Others keep the store from us.";
    StoreDenied "store.denied" Access Stop "The store does not let us in.";
    StoreReadOnly "store.read_only" Access Stop "The store cannot be written.";
    StoreFull "store.full" Access Stop "There is no room for the store.";
    StoreForeign "store.foreign" Access Stop "The store holds something else than boards.";
    StoreNewer "store.newer" Access Stop "The store is of a newer version than this program.";
    StoreDamaged "store.damaged" Access Stop "The store is damaged.";
    StoreNetwork "store.network" Access Stop "The store's file is on a network file system, where locks cannot be trusted.";
    StoreUnsettled "store.unsettled" Access Retry "It is not known whether an entry was recorded.";
    IoRead "io.read" Access Stop "Something could not be read.";
    IoWrite "io.write" Access Stop "Something could not be written.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: usize,
    /// Line, from 1. Lines end at LF.
    pub line: usize,
    /// Column in characters (Unicode scalar values), from 1.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` in `text`; an offset past the end is the end.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = text.get(..end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { offset: end, line, column }
    }
}

/// One refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why, as a stable code.
    pub code: Code,
    /// Where: a JSON Pointer (RFC 6901); `""` is the whole document.
    pub at: String,
    /// What is wrong and what to do: one line, lower case, no final period.
    pub detail: String,
    /// Where in the text that was read, if it is known.
    pub position: Option<Position>,
}

impl Refusal {
    /// A refusal without a position.
    #[must_use]
    pub fn new(code: Code, at: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code, at: at.into(), detail: detail.into(), position: None }
    }

    /// The same refusal at `position`.
    #[must_use]
    pub fn in_text(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// What the receiver can do about it.
    #[must_use]
    pub fn action(&self) -> Action {
        self.code.action()
    }

    /// The member of the document that it is about, or that it is about something in.
    pub(crate) fn member(&self) -> Option<Cow<'_, str>> {
        let token = self.at.strip_prefix('/')?.split('/').next()?;
        if !token.contains('~') {
            return Some(Cow::Borrowed(token));
        }
        Some(Cow::Owned(token.replace("~1", "/").replace("~0", "~")))
    }

    /// Whether it is about the member `name` of the document, or about something in it.
    #[must_use]
    pub fn is_about(&self, name: &str) -> bool {
        self.member().as_deref() == Some(name)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)?;
        if self.at.is_empty() { Ok(()) } else { write!(f, " (at {})", self.at) }
    }
}

impl std::error::Error for Refusal {}

/// Everything that was wrong with one input: at least one refusal, all reported at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    refusals: Vec<Refusal>,
}

impl Refused {
    /// The refusals, or `value` where there are none.
    ///
    /// # Errors
    /// `refusals`, when there is at least one.
    pub fn unless_empty<T>(refusals: Vec<Refusal>, value: T) -> Result<T, Self> {
        if refusals.is_empty() { Ok(value) } else { Err(Self { refusals }) }
    }

    /// The refusals, in the order found.
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The same, with what was found `earlier` before it.
    #[must_use]
    pub(crate) fn after(mut self, mut earlier: Vec<Refusal>) -> Self {
        earlier.append(&mut self.refusals);
        Self { refusals: earlier }
    }

    /// The refusals, in the order found, for a caller that completes them.
    pub fn refusals_mut(&mut self) -> &mut [Refusal] {
        &mut self.refusals
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusals: vec![refusal] }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, refusal) in self.refusals.iter().enumerate() {
            if number > 0 {
                f.write_str("; ")?;
            }
            refusal.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// Something that was accepted and is still worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A stable code, such as `state.unchanged`.
    pub code: &'static str,
    /// Where: a JSON Pointer (RFC 6901).
    pub at: String,
    /// One line, lower case, no final period.
    pub detail: String,
}

impl Notice {
    /// A notice.
    #[must_use]
    pub fn new(code: &'static str, at: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code, at: at.into(), detail: detail.into() }
    }
}
