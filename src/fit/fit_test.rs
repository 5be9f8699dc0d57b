use std::cell::Cell;

use proptest::prelude::*;

use super::{accept, fit, refit, render_whole, section_tokens};
use crate::baton::{Baton, Budget, Status};
use crate::count::{Tiktoken, TokenCounter, o200k};
use crate::json::Limits;
use crate::outline::{Outline, Shedding, Stage, shedding_order};
use crate::refusal::Code;
use crate::render::hostile::{cases, specs};
use crate::render::{Format, Layout};

/// Three characters are a token, whatever they are; counts of pieces do not add up.
struct Threes(Cell<usize>);

impl TokenCounter for Threes {
    fn encoding(&self) -> &str {
        "threes"
    }

    fn count(&self, text: &str) -> usize {
        self.0.set(self.0.get() + text.len());
        text.len().div_ceil(3)
    }

    fn adds_up_by_line(&self) -> bool {
        false
    }
}

/// A word is a token, and so is any other character that is no space. Counts add up by line, and bytes are counted.
struct Words(Cell<usize>);

impl TokenCounter for Words {
    fn encoding(&self) -> &str {
        "words"
    }

    fn count(&self, text: &str) -> usize {
        self.0.set(self.0.get() + text.len());
        let starts =
            |before: Option<char>, next: char| !next.is_alphanumeric() || !before.is_some_and(char::is_alphanumeric);
        let mut before = None;
        text.chars().filter(|next| starts(before.replace(*next), *next) && *next != ' ').count()
    }

    fn adds_up_by_line(&self) -> bool {
        true
    }
}

fn words() -> Words {
    Words(Cell::new(0))
}

fn budget(tokens: usize) -> Budget<'static> {
    Budget { tokens: tokens as u64, encoding: "words" }
}

fn read(text: &str) -> Baton<'_> {
    Baton::read(text, &Limits::default().with_bytes(64 << 20)).unwrap()
}

/// A baton that has something for every stage.
fn full() -> Baton<'static> {
    let decisions: Vec<String> = (1..=9)
        .map(|n| {
            format!(
                r#"{{"id":"D{n}","decision":"decision {n}","rationale":"because {n}","supersedes":[{}]}}"#,
                if n == 3 { "\"D1\"" } else { "" }
            )
        })
        .collect();
    let text = format!(
        r#"{{"goal":"Ship the login page","current_state":["Plan written"],"constraints":["No breaking changes"],
        "decision_log":[{}],"open_questions":["Which hash?"],"work_scope":["src/auth","src/web"],
        "artifacts":[{{"name":"plan","uri":"docs/plan.md","summary":"the plan in short"}}],
        "acceptance":[{{"check":"it builds","status":"passed","evidence":"run 7"}},"it is fast"],
        "notes":{{"small":1}},"log":"{}"}}"#,
        decisions.join(","),
        "many words ".repeat(40)
    );
    read(&text).into_owned()
}

#[test]
fn sheds_in_order_and_stops_as_soon_as_it_fits() {
    let baton = full();
    let counter = words();
    let whole = render_whole(&baton, Format::Markdown, &budget(1)).count(&counter);
    let mut seen: Vec<Vec<(Stage, usize)>> = Vec::new();
    for tokens in (1..=whole).rev() {
        // The budget stands in the text: its digits are one word, whatever it is.
        let Ok(rendering) = fit(&baton, Format::Markdown, &budget(tokens), &counter) else { break };
        assert!(counter.count(rendering.text()) <= tokens);
        let shed: Vec<(Stage, usize)> = rendering.shed().iter().map(|shed| (shed.stage, shed.count)).collect();
        if seen.last() != Some(&shed) {
            seen.push(shed);
        }
    }
    let firsts: Vec<Stage> =
        Stage::ALL.into_iter().filter(|stage| seen.iter().flatten().any(|(shed, _)| shed == stage)).collect();
    assert!(firsts.contains(&Stage::Superseded) && firsts.contains(&Stage::Decisions), "{seen:?}");
    assert_eq!(seen[0], []);
    for pair in seen.windows(2) {
        let last = |shed: &[(Stage, usize)]| shed.iter().map(|(stage, _)| *stage).max();
        assert!(last(&pair[0]) <= last(&pair[1]), "{pair:?}");
    }
}

#[test]
fn every_stage_is_announced_where_it_stood() {
    let baton = full();
    let outline = Outline::of(&baton, budget(1));
    let units = shedding_order(&outline, |index| format!("{:?}", outline.entries[index].part).len());
    let stages: Vec<Stage> = units.iter().map(|unit| unit.stage).collect();
    assert!(stages.is_sorted());
    let after = |stage: Stage| {
        let gone = units.iter().filter(|unit| unit.stage <= stage).count();
        Layout::of(&outline, Format::Markdown, &Shedding::of(&outline, &units[..gone])).text
    };
    let rationales = after(Stage::Rationales);
    assert!(
        rationales
            .contains("```\n(1 superseded decision, 8 rationales left out: /decision_log in the baton)\n## Artifacts"),
        "{rationales}"
    );
    assert!(!rationales.contains("D1") || rationales.contains("supersedes D1"), "{rationales}");
    let all = after(Stage::WorkScope);
    for line in [
        "## Acceptance\n```\n- [pending] it is fast\n```\n(1 passed check left out: /acceptance in the baton)\n",
        "## Work scope\n(2 entries left out: /work_scope in the baton)\n",
        "## Decisions\n(1 superseded decision, 8 decisions left out: /decision_log in the baton)\n",
        "## Artifacts\n(1 artifact left out: /artifacts in the baton)\n",
        "## Other keys\n(2 other keys left out: at the top level of the baton)\n",
    ] {
        assert!(all.contains(line), "{line}\n{all}");
    }
    let largest = Layout::of(
        &outline,
        Format::Markdown,
        &Shedding::of(&outline, &units[..1 + units.iter().position(|unit| unit.stage == Stage::Others).unwrap()]),
    )
    .text;
    assert!(largest.contains("\"notes\"") && !largest.contains("many words"), "the largest goes first: {largest}");
}

#[test]
fn over_budget_says_where_the_tokens_are() {
    let baton = full();
    let refused = fit(&baton, Format::Markdown, &budget(20), &words()).unwrap_err();
    let [refusal] = refused.refusals() else { panic!("{refused}") };
    assert_eq!(refusal.code, Code::FitOverBudget);
    assert!(refusal.detail.starts_with("the shortest rendering takes "), "{refusal}");
    for part in [" of 20 tokens of words; what is never left out: ", "constraints ", "goal ", "frame "] {
        assert!(refusal.detail.contains(part), "{refusal}");
    }
    for shed in ["work_scope", "artifacts", "decision_log", "other_keys"] {
        assert!(!refusal.detail.contains(shed), "{refusal}");
    }
    assert!(refusal.detail.ends_with("; shorten `acceptance` or raise the budget"), "{refusal}");
    assert!(refusal.at == "/acceptance" && !refusal.detail.contains('\n'));
}

#[test]
fn over_budget_says_how_much_would_do() {
    let short = read(
        r#"{"goal":"g","work_scope":["src"],"artifacts":["a"],"notes":1,"log":2,
        "acceptance":[{"check":"c","status":"passed"}],"decision_log":["d",{"decision":"e","rationale":"f"}]}"#,
    );
    let (words, threes) = (words(), Threes(Cell::new(0)));
    let counters: [&dyn TokenCounter; 3] = [&words, o200k(), &threes];
    let mut checked = 0;
    for (baton, counter) in [&short, &full()].into_iter().flat_map(|baton| counters.map(|counter| (baton, counter))) {
        for format in Format::ALL {
            // All budgets have two digits, so that the text is as long under each of them.
            let over = |tokens| fit(baton, format, &budget(tokens), counter).err().map(|refused| refused.to_string());
            let Some(said) = over(10) else { continue };
            let takes = said.split("takes ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            let takes: usize = takes.parse().unwrap();
            if (11..100).contains(&takes) {
                checked += 1;
                assert_eq!(over(takes), None, "{format:?}: {said}");
                assert!(over(takes - 1).is_some(), "{format:?}: {said}");
            }
        }
    }
    assert!(checked > 2, "{checked}");
}

#[test]
fn where_the_bytes_fit_nothing_is_counted() {
    let counter = words();
    let mut rendering = fit(&full(), Format::Markdown, &budget(10_000), &counter).unwrap();
    assert_eq!((rendering.tokens(), counter.0.get()), (None, 0));
    assert_eq!(rendering.count(&counter), counter.count(rendering.text()));
}

#[test]
fn a_huge_log_costs_what_the_budget_holds() {
    let decisions: Vec<String> =
        (0..100_000).map(|n| format!("\"decision number {n} of very many, and what it says\"")).collect();
    let text = format!(r#"{{"goal":"g","decision_log":[{}]}}"#, decisions.join(","));
    let baton = read(&text);
    for format in Format::ALL {
        let counter = words();
        let rendering = fit(&baton, format, &budget(1000), &counter).unwrap();
        assert!(rendering.text().contains("number 99999 "), "the newest stays");
        assert!(counter.0.get() < 200_000, "{format:?}: {} bytes counted", counter.0.get());
    }
}

#[test]
fn the_table_sums_up() {
    let baton = full();
    for (tokens, fits) in [(10_000, true), (300, true), (150, false)] {
        let table = section_tokens(&baton, Format::Markdown, &budget(tokens), &words());
        assert_eq!(table.fits, fits, "{table:?}");
        assert_eq!(table.rows.iter().map(|row| row.tokens).sum::<usize>(), table.tokens);
        assert_eq!(table.rows.iter().map(|row| row.whole).sum::<usize>(), table.whole);
        assert_eq!(table.tokens <= tokens, fits);
        assert_eq!(table.rows.iter().any(|row| row.shed > 0), tokens < 10_000);
        assert_eq!(table.rows.last().map(|row| row.name), Some("frame"));
    }
}

#[test]
fn a_small_patch_recounts_what_it_changed() {
    let before = full();
    let counter = words();
    let first = fit(&before, Format::Markdown, &budget(900), &counter).unwrap();
    assert!(first.tokens().is_some());
    let text = before.to_json().replace("Plan written", "Plan reviewed");
    let after = read(&text);
    counter.0.set(0);
    let second = refit(&after, Format::Markdown, &budget(900), &counter, Some(&first)).unwrap();
    assert_eq!(counter.0.get(), "- Plan reviewed\n".len());
    assert_eq!(second.tokens(), Some(counter.count(second.text())));
}

/// The strings that have to be in every rendering, as they stand in it.
fn never_shed(baton: &Baton<'_>, format: Format) -> Vec<String> {
    let outline = Outline::of(baton, budget(1));
    let layout = Layout::of(&outline, format, &Shedding::default());
    let kept = layout.texts().filter(|(piece, _)| match piece.role {
        crate::render::Role::Entry(index) => outline.entries[index].stage.is_none(),
        _ => false,
    });
    kept.map(|(_, text)| text.to_owned()).collect()
}

#[test]
fn what_fits_is_within_and_says_what_is_missing() {
    let (words, threes) = (words(), Threes(Cell::new(0)));
    let [tried, shed, over, twin_caught] = [const { Cell::new(0_u32) }; 4];
    proptest!(cases(2_000), |(spec in specs(), tokens in 20_usize..500, which in 0_usize..3, format in 0_usize..3)| {
        let counter: &dyn TokenCounter = [o200k() as &dyn TokenCounter, &words, &threes][which];
        let (baton, format) = (spec.hostile(), Format::ALL[format]);
        let budget = Budget { tokens: tokens as u64, encoding: "words" };
        let whole = render_whole(&baton, format, &budget);
        tried.set(tried.get() + 1);
        // A twin that sheds nothing would be over the budget.
        twin_caught.set(twin_caught.get() + u32::from(counter.count(whole.text()) > tokens));
        match fit(&baton, format, &budget, counter) {
            Ok(rendering) => {
                shed.set(shed.get() + u32::from(!rendering.shed().is_empty()));
                let counted = counter.count(rendering.text());
                prop_assert!(counted <= tokens, "{counted} of {tokens}: {}", rendering.text());
                prop_assert!(rendering.tokens().is_none_or(|known| known == counted));
                prop_assert_eq!(rendering.shed().is_empty(), rendering.text() == whole.text());
                if format != Format::Json {
                    for line in never_shed(&baton, format) {
                        prop_assert!(rendering.text().contains(&line), "{line}");
                    }
                    prop_assert_eq!(lines_missing(whole.text(), rendering.text()) > 0, !rendering.shed().is_empty());
                }
                prop_assert_eq!(&fit(&baton, format, &budget, counter).unwrap(), &rendering);
            }
            Err(refused) => {
                over.set(over.get() + 1);
                prop_assert_eq!(refused.refusals()[0].code, Code::FitOverBudget);
                prop_assert!(counter.count(whole.text()) > tokens, "the whole would fit");
            }
        }
    });
    for (what, count) in [("shed", &shed), ("over the budget", &over), ("too long whole", &twin_caught)] {
        assert!(count.get() > tried.get() / 20, "{what}: {} of {}", count.get(), tried.get());
    }
}

#[test]
fn what_is_accepted_fits_in_every_format() {
    let (words, threes) = (words(), Threes(Cell::new(0)));
    let [accepted, refused] = [const { Cell::new(0_u32) }; 2];
    proptest!(cases(1_000), |(spec in specs(), tokens in 20_usize..500, which in 0_usize..3)| {
        let counter: &dyn TokenCounter = [o200k() as &dyn TokenCounter, &words, &threes][which];
        let budget = Budget { tokens: tokens as u64, encoding: "words" };
        let baton = spec.hostile();
        let fits = Format::ALL.map(|format| fit(&baton, format, &budget, counter).map(|fitted| fitted.text().to_owned()));
        match accept(&baton, &budget, counter) {
            Ok(rendering) => {
                accepted.set(accepted.get() + 1);
                prop_assert!(fits.iter().all(Result::is_ok));
                prop_assert_eq!(Ok(rendering.text()), fits[0].as_deref());
                prop_assert_eq!(rendering.tokens(), Some(counter.count(rendering.text())));
            }
            Err(_) => {
                refused.set(refused.get() + 1);
                prop_assert!(fits.iter().any(Result::is_err));
            }
        }
    });
    assert!(accepted.get() > 50 && refused.get() > 50, "{} accepted, {} refused", accepted.get(), refused.get());
}

/// How many lines of `whole` are not in `text`.
fn lines_missing(whole: &str, text: &str) -> usize {
    let mut rest = text.lines().peekable();
    whole.lines().filter(|line| rest.by_ref().peek() != Some(line) || rest.next().is_none()).count()
}

#[test]
fn counts_add_up_and_recounts_agree() {
    let cl100k = Tiktoken::named("cl100k_base").unwrap();
    proptest!(cases(200), |(one in specs(), two in specs(), format in 0_usize..2)| {
        let format = Format::ALL[format];
        for counter in [o200k(), &cl100k] {
            let mut first = render_whole(&one.hostile(), format, &budget(1));
            prop_assert_eq!(first.count(counter), counter.count(first.text()));
            let mut second = render_whole(&two.hostile(), format, &budget(1));
            prop_assert_eq!(second.count_after(counter, Some(&first)), counter.count(second.text()));
        }
    });
}

#[test]
fn a_check_that_is_not_passed_stays() {
    for status in Status::ALL {
        let text = format!(
            r#"{{"goal":"g","acceptance":[{{"check":"the check","status":"{status}"}}],"work_scope":["{}"]}}"#,
            "a ".repeat(99)
        );
        let baton = read(&text);
        let outline = Outline::of(&baton, budget(1));
        let units = shedding_order(&outline, |_| 1);
        let text = Layout::of(&outline, Format::Markdown, &Shedding::of(&outline, &units)).text;
        assert_eq!(text.contains("the check"), status != Status::Passed);
    }
}
