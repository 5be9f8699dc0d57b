#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::string_slice)]

use proptest::prelude::*;

use super::*;
use crate::fixture::{agent, charter, said};
use crate::json::{Limits, read};

/// Reads schemas of one member: `required` names members that must be there. Its words quote the output.
struct Required;

impl Validator for Required {
    fn check_schema(&self, schema: &Value<'_>) -> Result<(), String> {
        let required = schema.as_object().and_then(|schema| schema.get("required"));
        required.and_then(Value::as_array).map(|_| ()).ok_or_else(|| format!("no\n{}", schema.kind()))
    }

    fn validate(&self, schema: &Value<'_>, output: &Value<'_>) -> Result<Vec<Violation>, String> {
        self.check_schema(schema)?;
        let object = output.as_object().ok_or_else(|| format!("cannot look into {output:?}"))?;
        let required = schema.as_object().and_then(|schema| schema.get("required")).and_then(Value::as_array);
        let missing = required.unwrap().iter().filter_map(Value::as_str).filter(|name| object.get(name).is_none());
        let violation =
            |name: &str| Violation { at: pointer::child("", name), detail: format!("{object:?} lacks\n{name}") };
        Ok(missing.map(violation).collect())
    }
}

fn json(text: &str) -> Value<'static> {
    read(text, &Limits::default()).unwrap().into_owned()
}

fn bound(schema: &str) -> Agent {
    Agent { contract: Some(json(schema)), ..agent("planner", "", "") }
}

const SCHEMA: &str = r#"{"required": ["a/b", "c"]}"#;

#[test]
fn without_a_contract_everything_is_met_and_nothing_is_traced() {
    let free = agent("planner", "", "");
    for validator in [None, Some(&Required as &dyn Validator)] {
        assert_eq!(judge(validator, &free, &json("[1]"), 0), (Verdict::Met, vec![]));
    }
}

#[test]
fn an_output_that_meets_its_contract_is_traced_without_it() {
    let (verdict, traces) = judge(Some(&Required), &bound(SCHEMA), &json(r#"{"a/b": "secret", "c": 1}"#), 0);
    assert_eq!((verdict, said(&traces)), (Verdict::Met, vec![r#"contract_met {"agent":"planner"}"#.to_owned()]));
}

#[test]
fn a_violation_goes_back_to_the_agent_with_its_places() {
    let (verdict, traces) = judge(Some(&Required), &bound(SCHEMA), &json(r#"{"x": "secret"}"#), 2);
    let Verdict::Correct { left, refused } = verdict else { panic!("{verdict:?}") };
    let places: Vec<(Code, &str)> =
        refused.refusals().iter().map(|refusal| (refusal.code, refusal.at.as_str())).collect();
    assert_eq!((left, places), (1, vec![(Code::ContractViolated, "/a~1b"), (Code::ContractViolated, "/c")]));
    assert!(refused.refusals().iter().all(|refusal| !refusal.detail.contains('\n')));
    assert_eq!(
        said(&traces),
        [
            r#"contract_violated {"agent":"planner","violations":2,"left":1}"#,
            r#"correction_sent {"agent":"planner","left":1}"#,
        ]
    );
}

#[test]
fn without_a_correction_left_it_gives_up() {
    let (verdict, traces) = judge(Some(&Required), &bound(SCHEMA), &json(r#"{"c": "secret"}"#), 0);
    let Verdict::GiveUp { refused } = verdict else { panic!("{verdict:?}") };
    assert_eq!((refused.refusals().len(), refused.refusals()[0].code), (1, Code::ContractViolated));
    let detail = "the output violates the contract of agent `planner`";
    assert_eq!(
        said(&traces),
        [
            r#"contract_violated {"agent":"planner","violations":1,"left":0}"#.to_owned(),
            r#"gave_up {"agent":"planner"}"#.to_owned(),
            format!(
                r#"failure_detected {{"what":"contract","agent":"planner","code":"contract.violated","detail":"{detail}"}}"#
            ),
        ]
    );
}

#[test]
fn what_nothing_can_validate_does_not_pass() {
    let cases: [(Option<&dyn Validator>, &str, &str); 3] =
        [(None, SCHEMA, "{}"), (Some(&Required), "true", "{}"), (Some(&Required), SCHEMA, r#"["secret"]"#)];
    for (validator, schema, output) in cases {
        let (verdict, traces) = judge(validator, &bound(schema), &json(output), 5);
        let Verdict::GiveUp { refused } = verdict else { panic!("{verdict:?}") };
        assert_eq!(refused.refusals()[0].code, Code::ContractValidator, "{schema}");
        let said = said(&traces);
        assert!(said[0].starts_with("gave_up ") && said[1].contains(r#""code":"contract.validator""#), "{said:?}");
        assert!(said.len() == 2 && !said.join(" ").contains("secret") && !refused.to_string().contains("secret"));
    }
}

#[test]
fn a_flood_of_violations_is_told_in_part_and_counted_in_full() {
    let names: Vec<String> = (0..1000).map(|number| format!("\"m{number}\"")).collect();
    let schema = format!(r#"{{"required": [{}]}}"#, names.join(","));
    let output = json(&format!(r#"{{"long": "{}"}}"#, "y".repeat(5000)));
    let (verdict, traces) = judge(Some(&Required), &bound(&schema), &output, 1);
    let Verdict::Correct { left: 0, refused } = verdict else { panic!("{verdict:?}") };
    assert_eq!(refused.refusals().len(), TOLD_MAX + 1);
    assert_eq!(refused.refusals()[TOLD_MAX].detail, "968 more places violate the contract");
    assert!(refused.refusals().iter().all(|refusal| refusal.detail.chars().count() <= DETAIL_MAX));
    assert!(said(&traces)[0].contains(r#""violations":1000"#));
}

#[test]
fn a_charter_with_a_schema_needs_a_validator_that_reads_it() {
    let mut charter = charter([bound(SCHEMA), agent("free", "", "")], "search email");
    charter.tools.get_mut("search").unwrap().arguments = Some(json("true"));
    let found = |validator: Option<&dyn Validator>| {
        let refused = check(&charter, validator).unwrap_err();
        refused.refusals().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let hint = "there is no validator: give one, or leave it out";
    assert_eq!(
        found(None),
        [
            format!(
                "contract.validator: the contract of agent `planner` cannot be validated: {hint} (at /agent/planner/contract)"
            ),
            format!(
                "contract.validator: the arguments of tool `search` cannot be validated: {hint} (at /tool/search/arguments)"
            ),
        ]
    );
    let unread = r"contract.validator: the arguments of tool `search` cannot be validated: no\na boolean (at /tool/search/arguments)";
    assert_eq!(found(Some(&Required)), [unread]);
    charter.tools.clear();
    assert_eq!(check(&charter, Some(&Required)), Ok(()));
    charter.agents.remove("planner");
    assert_eq!(check(&charter, None), Ok(()));
}

proptest! {
    #[test]
    fn no_trace_holds_anything_of_the_output(secret in "SECRET[a-z0-9]{1,8}", left in 0u64..3, meets: bool) {
        let output = json(&format!(r#"{{"{}": "{secret}", "{secret}": 1}}"#, if meets { "c" } else { "d" }));
        let agent = bound(r#"{"required": ["c"]}"#);
        let (verdict, traces) = judge(Some(&Required), &agent, &output, left);
        prop_assert!(!said(&traces).join(" ").contains("SECRET"));
        prop_assert_eq!(verdict == Verdict::Met, meets);
        let tried_again = matches!(verdict, Verdict::Correct { left: after, .. } if after + 1 == left);
        prop_assert_eq!(tried_again, !meets && left > 0);
    }
}
