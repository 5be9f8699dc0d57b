//! Implementations that break one rule each: the vectors of its group catch every one of them.

use relay_baton::conformance::{Responder, Vector, check, vectors};
use serde_json::{Value, json};

use crate::conformance::GROUPS;
use crate::validator::Small;

/// A fault: what becomes of a request before it is answered, and of the answer.
struct Twin {
    group: &'static str,
    fault: &'static str,
    asks: fn(&mut Value),
    answers: fn(&Value, &mut Value),
}

fn same(_: &mut Value) {}

fn told(_: &Value, _: &mut Value) {}

/// The vectors of the twin's group that it does not pass.
fn caught(twin: &Twin, all: &[Vector]) -> Vec<String> {
    let small = Small;
    let mut responder = Responder::new(Some(&small));
    let own = all.iter().filter(|vector| vector.group == twin.group);
    let failing = own.filter(|vector| {
        let mut is_asked = true;
        let found = check(vector, &mut |line| {
            let asked: Value = serde_json::from_str(line).unwrap();
            let mut request = asked.clone();
            (twin.asks)(&mut request);
            let mut answer: Value = serde_json::from_str(&responder.respond(&request.to_string())).unwrap();
            // A charter that the fault has made unsound shows nothing.
            is_asked = answer["error"].is_null();
            (twin.answers)(&asked, &mut answer);
            Ok(answer.to_string())
        });
        is_asked && !found.is_empty()
    });
    failing.map(Vector::id).collect()
}

#[test]
fn every_twin_is_caught_by_its_group() {
    let all = vectors();
    let mut missed = Vec::new();
    for twin in TWINS {
        let failing = caught(twin, &all);
        println!("{} ({}): {} caught it", twin.group, twin.fault, failing.len());
        if failing.is_empty() {
            missed.push(format!("{}: {}", twin.group, twin.fault));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

/// What is changed on the way is what makes a twin fail, not the way.
#[test]
fn a_twin_without_a_fault_passes() {
    let all = vectors();
    for group in GROUPS {
        let twin = Twin { group, fault: "none", asks: same, answers: told };
        assert_eq!(caught(&twin, &all), Vec::<String>::new());
    }
}

#[test]
fn every_group_has_a_twin() {
    let without: Vec<_> = GROUPS.iter().filter(|group| !TWINS.iter().any(|twin| twin.group == **group)).collect();
    assert_eq!(without, Vec::<&&str>::new());
}

/// Every charter of a request, as far as it is one.
fn charters(request: &mut Value, change: fn(&mut Value)) {
    if request["charter"].is_object() {
        change(&mut request["charter"]);
    }
    for action in items(request, "script") {
        if action["charter"].is_object() {
            change(&mut action["charter"]);
        }
    }
}

fn named<'v>(charter: &'v mut Value, kind: &str) -> impl Iterator<Item = (&'v String, &'v mut Value)> {
    charter.get_mut(kind).and_then(Value::as_object_mut).into_iter().flatten()
}

fn remove(value: &mut Value, name: &str) {
    value.as_object_mut().map(|members| members.remove(name));
}

fn list<'v>(answer: &'v mut Value, name: &str) -> &'v mut Vec<Value> {
    if !answer["answer"][name].is_array() {
        answer["answer"][name] = json!([]);
    }
    answer["answer"][name].as_array_mut().unwrap()
}

fn items<'v>(value: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// The steps of a request's answer that were refused with `code`.
fn refused<'v>(answer: &'v mut Value, code: &'static str) -> impl Iterator<Item = &'v mut Value> {
    list(answer, "steps").iter_mut().filter(move |step| step["refusals"][0]["code"] == code)
}

const TWINS: &[Twin] = &[
    Twin {
        group: "01-no-agent-reference",
        fault: "every agent is told of every other",
        asks: same,
        answers: |asked, answer| {
            let names: Vec<&String> = asked["charter"]["agent"].as_object().unwrap().keys().collect();
            if answer["answer"]["agents"].is_array() {
                answer["answer"]["agents"] = json!(names);
            }
            for request in list(answer, "asked") {
                request["agents"] = json!(names);
            }
        },
    },
    Twin {
        group: "01-no-agent-reference",
        fault: "an agent is given the whole answer of another",
        asks: same,
        answers: |asked, answer| {
            let said = asked["replies"].to_string();
            for request in list(answer, "asked") {
                request["messages"].as_array_mut().unwrap().iter_mut().for_each(|message| {
                    if message["of"].is_string() {
                        message["value"] = json!(said);
                    }
                });
            }
        },
    },
    Twin {
        group: "02-board-only",
        fault: "what agents give each other is not on the board",
        asks: same,
        answers: |_, answer| {
            list(answer, "entries").retain(|entry| entry["kind"] != "fact" && entry["kind"] != "delegation")
        },
    },
    Twin {
        group: "02-board-only",
        fault: "who reads a tool's results is not looked at",
        asks: |request| {
            charters(request, |charter| named(charter, "tool").for_each(|(_, tool)| remove(tool, "readers")));
        },
        answers: told,
    },
    Twin {
        group: "02-board-only",
        fault: "any agent writes any field",
        asks: |request| {
            charters(request, |charter| {
                named(charter, "agent").for_each(|(_, agent)| agent["writes"] = json!(["current_state", "work_scope"]));
            });
        },
        answers: told,
    },
    Twin {
        group: "03-delegation",
        fault: "the depth is one too many",
        asks: |request| {
            charters(request, |charter| {
                let depth = charter["ceilings"]["depth"].as_u64().unwrap_or_default();
                charter["ceilings"]["depth"] = json!(depth + 1);
            });
        },
        answers: told,
    },
    Twin {
        group: "03-delegation",
        fault: "delegations that are refused are counted",
        asks: same,
        answers: |_, answer| {
            let refused =
                list(answer, "entries").iter().filter(|entry| entry["event"] == "delegation_refused").count() as u64;
            let spawns = answer["answer"]["spent"]["spawns"].as_u64().unwrap_or_default();
            answer["answer"]["spent"]["spawns"] = json!(spawns + refused);
        },
    },
    Twin {
        group: "03-delegation",
        fault: "an answer is begun as far as the spawns go",
        asks: |request| charters(request, |charter| charter["ceilings"]["spawns"] = json!(9)),
        answers: told,
    },
    Twin {
        group: "04-slices",
        fault: "an agent is given all data that it may read",
        asks: |request| {
            charters(request, |charter| {
                let keys: Vec<String> = named(charter, "data").map(|(key, _)| key.clone()).collect();
                named(charter, "agent").for_each(|(_, agent)| agent["needs"] = json!(keys));
            });
        },
        answers: told,
    },
    Twin {
        group: "04-slices",
        fault: "an agent is shown the whole baton",
        asks: |request| {
            charters(request, |charter| named(charter, "agent").for_each(|(_, agent)| remove(agent, "reads")))
        },
        answers: told,
    },
    Twin {
        group: "04-slices",
        fault: "the readers of facts are not looked at",
        asks: |request| {
            for fact in items(request, "facts") {
                remove(fact, "readers");
            }
        },
        answers: told,
    },
    Twin {
        group: "05-budgets",
        fault: "the ceiling on tokens is not looked at",
        asks: |request| charters(request, |charter| charter["ceilings"]["tokens"] = json!(9_000_000)),
        answers: told,
    },
    Twin {
        group: "05-budgets",
        fault: "calls that are denied are counted",
        asks: same,
        answers: |_, answer| {
            let requests = list(answer, "requests").len();
            answer["answer"]["spent"]["tool_calls"] = json!(requests);
        },
    },
    Twin {
        group: "06-approval",
        fault: "nothing waits for a person",
        asks: |request| {
            charters(request, |charter| {
                named(charter, "tool").for_each(|(_, tool)| tool["side_effects"] = json!(false))
            });
        },
        answers: told,
    },
    Twin {
        group: "06-approval",
        fault: "approvers are not looked at",
        asks: |request| {
            charters(request, |charter| named(charter, "tool").for_each(|(_, tool)| remove(tool, "approvers")));
        },
        answers: told,
    },
    Twin {
        group: "06-approval",
        fault: "approvals never expire",
        asks: |request| {
            charters(request, |charter| named(charter, "tool").for_each(|(_, tool)| remove(tool, "approval_minutes")));
        },
        answers: told,
    },
    Twin {
        group: "06-approval",
        fault: "a grant outlives a change of the charter",
        asks: |request| {
            if let Some(script) = request.get_mut("script").and_then(Value::as_array_mut) {
                script.retain(|action| action["do"] != "adopt");
                script.iter_mut().for_each(|action| action["unheard"] = json!(false));
            }
        },
        answers: told,
    },
    Twin {
        group: "06-approval",
        fault: "the arguments of a call are not part of its approval",
        asks: |request| {
            for reply in request["replies"]
                .as_object_mut()
                .into_iter()
                .flatten()
                .flat_map(|(_, replies)| replies.as_array_mut().unwrap())
            {
                for call in items(reply, "tool_calls") {
                    call["arguments"] = json!({"to": "kim"});
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "06-approval",
        fault: "what was granted is called twice",
        asks: same,
        answers: |_, answer| {
            let invoked = list(answer, "invoked");
            let again = invoked.clone();
            invoked.extend(again);
        },
    },
    Twin {
        group: "07-tools",
        fault: "the person is not looked at",
        asks: |request| charters(request, |charter| remove(charter, "person")),
        answers: told,
    },
    Twin {
        group: "07-tools",
        fault: "only the last of a chain is looked at",
        asks: |request| {
            if let Some(chain) = request.get_mut("chain").and_then(Value::as_array_mut) {
                chain.drain(..chain.len().saturating_sub(1));
            }
        },
        answers: told,
    },
    Twin {
        group: "07-tools",
        fault: "an agent may use every tool",
        asks: |request| {
            charters(request, |charter| {
                let tools: Vec<Value> = named(charter, "tool").map(|(name, _)| json!(format!("tool {name}"))).collect();
                named(charter, "agent").for_each(|(_, agent)| {
                    let mut uses = agent["uses"].as_array().cloned().unwrap_or_default();
                    uses.extend(
                        tools
                            .iter()
                            .filter(|tool| !agent["uses"].to_string().contains(tool.as_str().unwrap()))
                            .cloned(),
                    );
                    agent["uses"] = json!(uses);
                });
            });
        },
        answers: told,
    },
    Twin {
        group: "08-metering",
        fault: "model calls are metered against the agent",
        asks: same,
        answers: |_, answer| {
            list(answer, "metered").iter_mut().for_each(|metered| metered["person"] = metered["agent"].clone())
        },
    },
    Twin {
        group: "08-metering",
        fault: "a call that is asked again is metered again",
        asks: same,
        answers: |_, answer| {
            if list(answer, "asked").iter().any(|asked| asked["again"] == true) {
                let first = list(answer, "metered")[0].clone();
                list(answer, "metered").push(first);
            }
        },
    },
    Twin {
        group: "09-one-board",
        fault: "tenants and tasks are not held apart",
        asks: |request| {
            for fact in items(request, "facts") {
                remove(fact, "tenant");
                remove(fact, "task");
            }
        },
        answers: told,
    },
    Twin {
        group: "09-one-board",
        fault: "what is kept is one shelf for all tenants",
        asks: |request| {
            let memories = request["memories_of_others"].clone();
            for memory in memories.as_array().into_iter().flatten() {
                request["memory"] = json!({memory["key"].as_str().unwrap(): memory["value"]});
            }
            remove(request, "memories_of_others");
        },
        answers: told,
    },
    Twin {
        group: "10-validated",
        fault: "the validator is left out",
        asks: |request| {
            charters(request, |charter| named(charter, "agent").for_each(|(_, agent)| remove(agent, "contract")));
        },
        answers: told,
    },
    Twin {
        group: "10-validated",
        fault: "one correction too many",
        asks: |request| {
            charters(request, |charter| {
                named(charter, "agent").for_each(|(_, agent)| {
                    let corrections = agent["corrections"].as_u64().unwrap_or(1);
                    agent["corrections"] = json!(corrections + 1);
                });
            });
        },
        answers: told,
    },
    Twin {
        group: "11-restart",
        fault: "what may have happened is done again",
        asks: |request| {
            if request["crash"].is_array() {
                charters(request, |charter| {
                    named(charter, "tool").for_each(|(_, tool)| tool["side_effects"] = json!(false));
                });
            }
        },
        answers: told,
    },
    Twin {
        group: "11-restart",
        fault: "results are forgotten with the process",
        asks: same,
        answers: |asked, answer| {
            if asked["crash"].is_array() && list(answer, "in_doubt").is_empty() {
                let invoked = list(answer, "invoked");
                let again = invoked.clone();
                invoked.extend(again);
            }
        },
    },
    Twin {
        group: "approval",
        fault: "an approval is used twice",
        asks: same,
        answers: |_, answer| {
            refused(answer, "approval.decided")
                .filter(|step| step["state"] == "consumed")
                .for_each(|step| *step = json!({"state": "consumed"}));
        },
    },
    Twin {
        group: "approval",
        fault: "an approval is of any call",
        asks: |request| {
            for event in items(request, "events") {
                remove(event, "call");
            }
        },
        answers: told,
    },
    Twin {
        group: "approval",
        fault: "parts run together",
        asks: |request| {
            if request["op"] == "approval_digest" {
                for call in request["calls"].as_array_mut().unwrap() {
                    let whole =
                        ["tenant", "task", "run", "agent", "tool"].map(|part| call[part].as_str().unwrap().to_owned());
                    call["tenant"] = json!(whole.concat().replace('/', "."));
                    for part in ["task", "run", "agent", "tool"] {
                        call[part] = json!("x");
                    }
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "call",
        fault: "a call begins unasked",
        asks: |request| {
            if request["op"] == "call" && request["events"][0] == "begin" {
                request["side_effects"] = json!(false);
            }
        },
        answers: told,
    },
    Twin {
        group: "call",
        fault: "keys have no lengths before their parts",
        asks: |request| {
            if request["op"] == "call_key" {
                for call in request["calls"].as_array_mut().unwrap() {
                    let whole = ["subtask", "agent", "tool"].map(|part| call[part].as_str().unwrap().to_owned());
                    call["subtask"] = json!(whole.concat());
                    call["agent"] = json!("x");
                    call["tool"] = json!("x");
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "call",
        fault: "absent arguments are null",
        asks: |request| {
            if request["op"] == "call_key" {
                for call in request["calls"].as_array_mut().unwrap() {
                    call["arguments"] = call["arguments"].clone();
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "caller",
        fault: "callers are not looked at",
        asks: |request| {
            if request["op"] == "invoke" {
                let caller = request["caller"].clone();
                let target = request["agent"].as_str().unwrap().to_owned();
                let agent = &mut request["charter"]["agent"];
                if let Some(agent) = agent.get_mut(target.rsplit('.').next().unwrap()) {
                    agent["callable_by"] = json!([caller]);
                    request["charter"]["strategy"] =
                        json!({"ship": {"subtask": [{"id": "a", "agent": "ship", "intent": "x"}]}});
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "caller",
        fault: "a refusal is not traced",
        asks: same,
        answers: |_, answer| {
            list(answer, "traces").retain(|trace| trace["event"] == "agent_invocation_authorized");
            list(answer, "entries").retain(|entry| entry["event"] != "failure_detected");
        },
    },
    Twin {
        group: "ceiling",
        fault: "a limit is one more than it says",
        asks: |request| {
            for (_, limit) in request["limits"].as_object_mut().unwrap() {
                *limit = limit.as_u64().map_or(limit.clone(), |limit| json!(limit + 1));
            }
        },
        answers: told,
    },
    Twin {
        group: "ceiling",
        fault: "a reservation is settled twice",
        asks: same,
        answers: |_, answer| refused(answer, "ceiling.reservation").for_each(|step| *step = json!({})),
    },
    Twin {
        group: "delegation",
        fault: "the chain is not looked at",
        asks: |request| {
            if let Some(chain) = request.get_mut("chain").and_then(Value::as_array_mut) {
                chain.drain(..chain.len().saturating_sub(1));
            }
        },
        answers: told,
    },
    Twin {
        group: "delegation",
        fault: "the spawns are not looked at",
        asks: |request| remove(request, "spawns"),
        answers: told,
    },
    Twin {
        group: "contract",
        fault: "traces quote the output",
        asks: same,
        answers: |asked, answer| {
            let quoted = asked["output"].to_string();
            list(answer, "traces").iter_mut().for_each(|trace| trace["detail"] = json!(quoted));
        },
    },
    Twin {
        group: "contract",
        fault: "without a validator everything passes",
        asks: |request| remove(request, "validator"),
        answers: told,
    },
    Twin {
        group: "prerequisite",
        fault: "dependents of what failed go on",
        asks: |request| {
            for event in items(request, "events") {
                if event["do"] == "fail" {
                    event["do"] = json!("finish");
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "prerequisite",
        fault: "data that is there for others is there for all",
        asks: |request| {
            for fact in items(request, "facts") {
                remove(fact, "readers");
            }
        },
        answers: told,
    },
    Twin {
        group: "charter",
        fault: "wildcards and skills call everybody",
        asks: |request| {
            charters(request, |charter| {
                named(charter, "agent").for_each(|(_, agent)| {
                    if let Some(callers) = agent.get_mut("callable_by").and_then(Value::as_array_mut) {
                        callers.retain(|caller| !caller.as_str().unwrap().contains(['*', 'k']));
                    }
                });
            });
        },
        answers: told,
    },
    Twin {
        group: "charter",
        fault: "tools have no side effects unless they say so",
        asks: |request| {
            charters(request, |charter| {
                named(charter, "tool").for_each(|(_, tool)| {
                    if tool["side_effects"].is_null() {
                        tool["side_effects"] = json!(false);
                    }
                });
            });
        },
        answers: told,
    },
    Twin {
        group: "reply",
        fault: "who answers what is not looked at",
        asks: |request| {
            if let Ok(Value::Object(reply)) = serde_json::from_str(request["text"].as_str().unwrap()) {
                for name in ["agent", "request"] {
                    if let Some(told) = reply.get(name) {
                        request[name] = told.clone();
                    }
                }
            }
        },
        answers: told,
    },
    Twin {
        group: "reply",
        fault: "members that are not known are left out",
        asks: |request| {
            if let Ok(Value::Object(mut reply)) = serde_json::from_str(request["text"].as_str().unwrap()) {
                reply.remove("approved_by");
                request["text"] = json!(Value::Object(reply).to_string());
            }
        },
        answers: told,
    },
];
