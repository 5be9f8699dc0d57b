#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::*;
use crate::fixture::{agent, caller, charter, id, ids, person, said};

fn release() -> Charter {
    charter(
        [
            agent("planner", "strategy ship, agent builder", "tool search, tool email, agent builder, agent loner"),
            agent("builder", "agent planner, strategy ship", "tool search, tool compile, agent planner"),
            agent("loner", "", ""),
            agent("shared.mail.sender", "agent builder", "tool email"),
        ],
        "search email compile",
    )
}

fn refused(charter: &Charter, who: &str, agent: &str) -> (Refusal, Vec<String>) {
    let (answer, traces) = invoke(charter, &caller(who), agent);
    (answer.unwrap_err(), said(&traces))
}

#[test]
fn a_declared_caller_is_authorized_and_that_is_traced() {
    let charter = release();
    let (answer, traces) = invoke(&charter, &caller("agent planner"), "builder");
    assert_eq!(answer.unwrap().name, id("builder"));
    assert_eq!(said(&traces), [r#"agent_invocation_authorized {"caller":"agent planner","agent":"builder"}"#]);
}

#[test]
fn a_strategy_learns_who_may_call() {
    let (refusal, traces) = refused(&release(), "strategy other", "builder");
    assert_eq!(refusal.code, Code::AuthorityCaller);
    let detail = "agent `builder` is not callable by `strategy other`: callable by `strategy ship`, `agent planner`";
    assert_eq!(refusal.detail, detail);
    let rest = format!(r#""code":"authority.caller","detail":"{detail}"}}"#);
    assert_eq!(
        traces,
        [
            format!(r#"agent_invocation_refused {{"caller":"strategy other","agent":"builder",{rest}"#),
            format!(
                r#"failure_detected {{"what":"agent_invocation","caller":"strategy other","agent":"builder",{rest}"#
            ),
        ]
    );
}

#[test]
fn an_agent_that_lists_nobody_is_callable_by_nobody() {
    let charter = release();
    for who in ["strategy ship", "agent planner", "agent builder", "agent loner"] {
        assert_eq!(refused(&charter, who, "loner").0.code, Code::AuthorityCaller);
        assert!(!may_invoke(&charter, &caller(who), "loner"));
    }
    assert!(refused(&charter, "strategy ship", "loner").0.detail.ends_with(": nobody may call it"));
}

#[test]
fn an_agent_that_is_not_there_is_unknown_with_the_nearest_name() {
    let (refusal, traces) = refused(&release(), "strategy ship", "plannr");
    assert_eq!(refusal.code, Code::AuthorityUnknown);
    assert_eq!(refusal.detail, "there is no agent `plannr`: did you mean `planner`?");
    assert_eq!(traces.len(), 2);
    assert_eq!(refused(&release(), "strategy ship", "xylophone").0.detail, "there is no agent `xylophone`");
}

#[test]
fn a_name_of_the_own_module_is_the_same_agent_and_another_case_is_not() {
    let charter = release();
    let (answer, traces) = invoke(&charter, &caller("strategy ship"), "acme.release.planner");
    assert_eq!(answer.unwrap().name, id("planner"));
    assert_eq!(said(&traces), [r#"agent_invocation_authorized {"caller":"strategy ship","agent":"planner"}"#]);
    for name in ["Planner", "acme.planner", "acme.release.", "acme.release", "sender", "", " planner", "*"] {
        assert_eq!(refused(&charter, "strategy ship", name).0.code, Code::AuthorityUnknown, "{name}");
    }
}

#[test]
fn a_strategy_and_an_agent_of_one_name_are_two_callers() {
    let charter = release();
    assert!(may_invoke(&charter, &caller("strategy ship"), "planner"));
    assert!(!may_invoke(&charter, &caller("agent ship"), "planner"));
    assert!(!may_invoke(&charter, &caller("strategy planner"), "builder"));
}

#[test]
fn what_an_agent_is_told_does_not_tell_whether_the_other_is_there() {
    let charter = release();
    let hidden = refused(&charter, "agent loner", "shared.mail.sender");
    let absent = refused(&charter, "agent loner", "shared.mail.sendee");
    assert_eq!(hidden.0.code, Code::AuthorityCaller);
    assert_eq!(hidden.0.detail, "agent `shared.mail.sender` is not callable by `agent loner`");
    assert_eq!(
        (hidden.0.code, hidden.0.detail.replace("sender", "X")),
        (absent.0.code, absent.0.detail.replace("sendee", "X"))
    );
    assert!(hidden.1[0].contains("callable by `agent builder`"), "{:?}", hidden.1);
    assert!(absent.1[0].contains("there is no agent"), "{:?}", absent.1);
}

#[test]
fn a_name_from_outside_is_quoted_and_clipped() {
    let hostile = format!("x`\n\u{202e}{}", "y".repeat(10_000));
    let (refusal, _) = refused(&release(), "strategy ship", &hostile);
    assert!(refusal.detail.len() < 200 && !refusal.detail.contains(['\n', '\u{202e}']), "{}", refusal.detail);
}

#[test]
fn a_tool_is_granted_to_a_chain_that_declares_it_throughout() {
    let (charter, kim) = (release(), id("kim"));
    assert_eq!(tool(&charter, &ids("planner builder"), &kim, "search").unwrap().name, id("search"));
    assert_eq!(tool(&charter, &ids("planner"), &kim, "acme.release.email").unwrap().name, id("email"));
    let refusal = tool(&charter, &ids("planner builder"), &kim, "compile").unwrap_err();
    assert_eq!(
        (refusal.code, refusal.detail.as_str()),
        (Code::AuthorityUses, "`compile` is no tool that may be used here")
    );
    assert_eq!(tool(&charter, &ids("planner ghost"), &kim, "search").unwrap_err().code, Code::AuthorityUses);
}

#[test]
fn nobody_asks_for_nothing() {
    let (charter, kim) = (release(), id("kim"));
    assert_eq!(tool(&charter, &[], &kim, "search").unwrap_err().code, Code::AuthorityUses);
    let unknown = tool(&charter, &[], &kim, "serch").unwrap_err();
    assert_eq!(
        (unknown.code, unknown.detail.as_str()),
        (Code::AuthorityUnknown, "there is no tool `serch`: did you mean `search`?")
    );
    assert_eq!((tools(&charter, &[], &kim), agents(&charter, &[])), (vec![], vec![]));
}

#[test]
fn a_tool_out_of_reach_and_a_tool_that_is_not_there_are_refused_in_the_same_words() {
    let (charter, kim) = (release(), id("kim"));
    let hidden = tool(&charter, &ids("builder"), &kim, "email").unwrap_err();
    let absent = tool(&charter, &ids("builder"), &kim, "emaik").unwrap_err();
    assert_eq!(hidden.code, Code::AuthorityUses);
    assert_eq!(absent, Refusal { detail: hidden.detail.replace("email", "emaik"), ..hidden });
    let near = tool(&charter, &ids("builder"), &kim, "Compil").unwrap_err();
    assert_eq!(near.detail, "`Compil` is no tool that may be used here: did you mean `compile`?");
}

#[test]
fn a_person_limits_the_tools_once_there_are_people() {
    let mut charter = release();
    charter.people = Some([person("kim", "search")].into_iter().map(|kim| (kim.name.clone(), kim)).collect());
    assert_eq!(tool(&charter, &ids("planner"), &id("kim"), "search").unwrap().name, id("search"));
    for (who, what) in [("kim", "email"), ("lee", "search"), ("Kim", "search")] {
        let refusal = tool(&charter, &ids("planner"), &id(who), what).unwrap_err();
        assert_eq!(refusal.code, Code::AuthorityPerson, "{who} {what}");
    }
    // What the agent does not declare is not told apart by who asked.
    assert_eq!(tool(&charter, &ids("builder"), &id("lee"), "email").unwrap_err().code, Code::AuthorityUses);
    charter.people = Some(Default::default());
    assert_eq!(tools(&charter, &ids("planner"), &id("kim")), Vec::<&Tool>::new());
}

#[test]
fn agents_are_those_that_a_delegation_could_reach() {
    let charter = release();
    let names =
        |chain: &str| agents(&charter, &ids(chain)).into_iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>();
    assert_eq!(names("planner"), ["builder"], "loner lists nobody");
    assert_eq!(names("planner builder"), Vec::<&str>::new(), "planner is in the chain");
    assert_eq!(names("loner planner"), ["builder"]);
    assert_eq!(names("loner shared.mail.sender planner"), Vec::<&str>::new(), "too deep");
    assert_eq!(names("ghost"), Vec::<&str>::new());
}

#[test]
fn no_agent_approves_in_any_spelling() {
    let charter = release();
    let email = &charter.tools["email"];
    let agents = [
        "planner",
        "PLANNER",
        "acme.release.planner",
        "Acme.Release.Planner",
        "shared.mail.sender",
        "Shared.Mail.Sender",
    ];
    for name in agents.into_iter().chain(["relay-baton", "Relay-Baton", "acme.release.relay-baton", "*"]) {
        let refusal = approver(&charter, email, &id(name)).unwrap_err();
        assert_eq!(refusal.code, Code::ApprovalApprover, "{name}");
    }
    for name in ["kim", "plan", "planner2", "acme.release", "release.planner"] {
        assert_eq!(approver(&charter, email, &id(name)), Ok(()), "{name}");
    }
}

#[test]
fn approvers_are_the_only_ones_where_a_tool_names_some() {
    let mut charter = release();
    let mut email = charter.tools["email"].clone();
    email.approvers = Some(ids("kim planner").into_iter().collect());
    assert_eq!(approver(&charter, &email, &id("kim")), Ok(()));
    let refusal = approver(&charter, &email, &id("lee")).unwrap_err();
    assert_eq!(refusal.code, Code::ApprovalApprover);
    assert_eq!(refusal.detail, "`lee` may not decide a call of `email`: its approvers are `kim`, `planner`");
    assert_eq!(approver(&charter, &email, &id("Kim")).unwrap_err().code, Code::ApprovalApprover);
    assert_eq!(
        approver(&charter, &email, &id("planner")).unwrap_err().code,
        Code::ApprovalApprover,
        "an agent, though listed"
    );
    email.approvers = Some(Default::default());
    charter.module = None;
    assert!(approver(&charter, &email, &id("kim")).unwrap_err().detail.ends_with(": nobody may"));
}

const TOOLS: [&str; 4] = ["t0", "t1", "t2", "t3"];

/// A charter of four agents with these tools each, and a person with those of the last number.
fn masked(masks: &[u8]) -> Charter {
    let uses = |mask: u8| {
        let chosen = (0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| format!("tool t{bit}"));
        chosen.collect::<Vec<_>>().join(", ")
    };
    let agents = masks.iter().take(4).enumerate().map(|(number, mask)| agent(&format!("a{number}"), "", &uses(*mask)));
    let mut charter = charter(agents, "t0 t1 t2 t3");
    let person = person("kim", &uses(masks[4]).replace("tool ", "").replace(',', ""));
    charter.people = Some([(id("kim"), person)].into());
    charter
}

proptest! {
    #[test]
    fn rights_are_the_intersection_along_the_chain(
        masks in prop::collection::vec(0u8..16, 5),
        chain in prop::collection::vec(0usize..4, 1..5),
    ) {
        let (charter, kim) = (masked(&masks), id("kim"));
        let names: Vec<Id> = chain.iter().map(|number| id(&format!("a{number}"))).collect();
        let agents = chain.iter().fold(15, |mask, number| mask & masks[*number]);
        let mut granted = Vec::new();
        for (bit, name) in TOOLS.into_iter().enumerate() {
            let code = tool(&charter, &names, &kim, name).map(|tool| tool.name.as_str()).map_err(|refusal| refusal.code);
            let expected = match (agents >> bit & 1, masks[4] >> bit & 1) {
                (0, _) => Err(Code::AuthorityUses),
                (_, 0) => Err(Code::AuthorityPerson),
                _ => Ok(name),
            };
            prop_assert_eq!(code, expected);
            granted.extend(expected.ok());
        }
        let all: Vec<&str> = tools(&charter, &names, &kim).into_iter().map(|tool| tool.name.as_str()).collect();
        prop_assert_eq!(&all, &granted);
        // One caller more never widens it.
        let longer: Vec<Id> = names.iter().cloned().chain([id("a0")]).collect();
        prop_assert!(tools(&charter, &longer, &kim).into_iter().all(|tool| granted.contains(&tool.name.as_str())));
    }

    #[test]
    fn an_answer_tells_nothing_of_what_may_not_be_used(mask in 0u8..16, other in 0u8..16, name in "[a-z0-9]{1,6}|t[0-9]") {
        // Two worlds that differ only in what the first agent may not use.
        let (one, mut two) = (masked(&[mask, 0, 0, 0, 15]), masked(&[mask, other, other, other, 15]));
        two.tools.retain(|tool, _| one.agents["a0"].tools.contains(tool));
        let (chain, kim) = (ids("a0"), id("kim"));
        prop_assert_eq!(tool(&one, &chain, &kim, &name), tool(&two, &chain, &kim, &name));
        prop_assert_eq!(tools(&one, &chain, &kim), tools(&two, &chain, &kim));
    }

    #[test]
    fn may_invoke_is_what_invoke_answers(name in "(acme[.]release[.])?(planner|builder|loner|shared.mail.sender|x)", who in 0usize..5) {
        let charter = release();
        let who = caller(["strategy ship", "agent planner", "agent builder", "agent loner", "strategy x"][who]);
        prop_assert_eq!(may_invoke(&charter, &who, &name), invoke(&charter, &who, &name).0.is_ok());
    }
}
