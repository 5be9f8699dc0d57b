#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::*;
use crate::fixture::{agent, charter, id, ids, said};

/// Everybody may delegate to everybody, but for `deaf`, whom nobody may call, and `hidden`, whom only `c` declares.
fn free() -> Charter {
    let callers = "agent a, agent b, agent c";
    let uses = "agent a, agent b, agent c, agent deaf";
    charter(
        [
            agent("a", callers, uses),
            agent("b", callers, uses),
            agent("c", callers, "agent a, agent hidden"),
            agent("deaf", "", ""),
            agent("hidden", "agent a", ""),
        ],
        "",
    )
}

fn account() -> Account {
    Account::new(Amount { tokens: 10, tool_calls: 1, spawns: 2 })
}

fn code(chain: &str, target: &str) -> Option<Code> {
    delegate(&free(), &ids(chain), &account(), target).0.err().map(|refusal| refusal.code)
}

#[test]
fn a_declared_target_is_authorized_with_its_depth() {
    let charter = free();
    for (chain, depth) in [("a", 1), ("c a", 2)] {
        let (answer, traces) = delegate(&charter, &ids(chain), &account(), "b");
        assert_eq!(answer.unwrap().name, id("b"));
        assert_eq!(said(&traces), [format!(r#"delegation_authorized {{"agent":"a","target":"b","depth":{depth}}}"#)]);
    }
}

#[test]
fn a_refusal_is_traced_with_its_reason() {
    let charter = free();
    let (answer, traces) = delegate(&charter, &ids("a"), &account(), "hidden");
    let refusal = answer.unwrap_err();
    let detail = "`hidden` is no agent that may be delegated to here";
    assert_eq!((refusal.code, refusal.detail.as_str()), (Code::DelegationTarget, detail));
    let rest = format!(r#""agent":"a","target":"hidden","code":"delegation.target","detail":"{detail}"}}"#);
    let expected =
        [format!("delegation_refused {{{rest}"), format!(r#"failure_detected {{"what":"delegation",{rest}"#)];
    assert_eq!(said(&traces), expected);
}

#[test]
fn what_is_not_declared_and_what_is_not_there_are_refused_in_the_same_words() {
    let charter = free();
    let hidden = delegate(&charter, &ids("a"), &account(), "hidden").0.unwrap_err();
    let absent = delegate(&charter, &ids("a"), &account(), "hiddem").0.unwrap_err();
    assert_eq!(absent, Refusal { detail: hidden.detail.replace("hidden", "hiddem"), ..hidden });
}

#[test]
fn each_rule_has_its_code() {
    assert_eq!(code("a", "b"), None);
    assert_eq!(code("a", "acme.release.b"), None);
    assert_eq!(code("a", "nobody"), Some(Code::DelegationTarget));
    assert_eq!(code("a", "B"), Some(Code::DelegationTarget));
    assert_eq!(code("a", "deaf"), Some(Code::AuthorityCaller));
    assert_eq!(code("c", "hidden"), Some(Code::AuthorityCaller), "declared by c, callable by a alone");
    assert_eq!(code("a", "a"), Some(Code::DelegationCycle), "itself");
    assert_eq!(code("a", "acme.release.a"), Some(Code::DelegationCycle), "itself by another name");
    assert_eq!(code("a b", "a"), Some(Code::DelegationCycle));
    assert_eq!(code("c hidden a", "b"), Some(Code::DelegationDepth), "the third in a row, and two may be");
    assert_eq!(code("", "a"), Some(Code::DelegationTarget), "nobody asks");
    assert_eq!(code("ghost", "a"), Some(Code::DelegationTarget));
}

#[test]
fn the_rules_are_asked_in_their_order() {
    let mut charter = free();
    charter.ceilings.depth = 0;
    let empty = Account::new(Amount::default());
    let code = |charter: &Charter, target: &str| delegate(charter, &ids("a b"), &empty, target).0.unwrap_err().code;
    assert_eq!(code(&charter, "hidden"), Code::DelegationTarget);
    assert_eq!(code(&charter, "deaf"), Code::AuthorityCaller);
    assert_eq!(code(&charter, "a"), Code::DelegationCycle);
    assert_eq!(code(&charter, "c"), Code::DelegationDepth);
    charter.ceilings.depth = 2;
    assert_eq!(code(&charter, "c"), Code::CeilingSpawns);
}

#[test]
fn the_answer_at_the_spawn_ceiling_does_not_tell_what_others_spent() {
    let (charter, mut account) = (free(), account());
    account.reserve("first", Amount { spawns: 1, ..Amount::default() }).unwrap();
    assert!(delegate(&charter, &ids("a"), &account, "b").0.is_ok());
    account.reserve("second", Amount { spawns: 1, ..Amount::default() }).unwrap();
    let before = account.clone();
    let (answer, traces) = delegate(&charter, &ids("a"), &account, "b");
    let refusal = answer.unwrap_err();
    assert_eq!(refusal.code, Code::CeilingSpawns);
    assert!(!refusal.detail.contains(|letter: char| letter.is_ascii_digit()), "{}", refusal.detail);
    assert!(said(&traces)[0].contains("the ceiling is 2 spawns: 0 are spent, 2 are reserved"), "{:?}", said(&traces));
    assert_eq!(account, before, "a refusal costs nothing");
    account.release("first").unwrap();
    assert!(delegate(&charter, &ids("a"), &account, "b").0.is_ok());
}

#[test]
fn without_a_depth_nobody_delegates() {
    let mut charter = free();
    charter.ceilings.depth = 0;
    assert_eq!(delegate(&charter, &ids("a"), &account(), "b").0.unwrap_err().code, Code::DelegationDepth);
    assert_eq!(agents(&charter, &ids("a")), Vec::<&Agent>::new());
}

proptest! {
    #[test]
    fn a_chain_of_granted_delegations_never_repeats_and_never_grows_too_long(
        depth in 0u64..5,
        spawns in 0u64..5,
        targets in prop::collection::vec("(acme[.]release[.])?(a|b|c|deaf|hidden|x)", 0..12),
    ) {
        let mut charter = free();
        charter.ceilings.depth = depth;
        let mut account = Account::new(Amount { spawns, ..Amount::default() });
        let mut chain = ids("a");
        for (number, target) in targets.iter().enumerate() {
            let offered: Vec<Id> = agents(&charter, &chain).iter().map(|agent| agent.name.clone()).collect();
            let (answer, traces) = delegate(&charter, &chain, &account, target);
            let bare = target.trim_start_matches("acme.release.");
            let expected = offered.iter().any(|name| name.as_str() == bare) && account.free().spawns > 0;
            prop_assert_eq!(answer.is_ok(), expected, "{}", target);
            prop_assert_eq!(traces.len(), if expected { 1 } else { 2 });
            if let Ok(next) = answer {
                account.reserve(&number.to_string(), Amount { spawns: 1, ..Amount::default() }).unwrap();
                chain.push(next.name.clone());
            }
        }
        let distinct: std::collections::BTreeSet<&Id> = chain.iter().collect();
        prop_assert_eq!(distinct.len(), chain.len());
        prop_assert!(chain.len() as u64 <= depth.min(spawns) + 1);
    }
}
