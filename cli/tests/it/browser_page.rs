//! The page of a log in a browser: a click shows where something comes from, and nothing in a baton does anything.

use serde_json::{Value, json};

use crate::browser::{Browser, skipped};
use crate::why::{HOSTILE, story};

/// What the page shows as the provenance.
const SHOWN: &str = "document.getElementById('provenance').innerText";

/// The numbers of the entries in the drawn graph of the provenance.
const DRAWN: &str = "[...document.querySelectorAll('#provenance .graph button')].map((row) => Number(row.dataset.seq))";

/// The item of a field that holds a text.
fn item(field: &str, text: &str) -> String {
    let items = format!("[...document.querySelectorAll('#state .item[data-field={field}]')]");
    format!("{items}.find((item) => item.innerText.includes({}))", json!(text))
}

#[test]
fn a_click_shows_where_it_comes_from_and_nothing_hostile_happens() {
    if skipped() {
        return;
    }
    let folder = story();
    folder.run(&["log", "--html", "-o", "log.html"]).ends(0);
    let mut browser = Browser::start(folder.path());
    browser.shape(1440, 1000);
    browser.open(&folder.at("log.html"));

    // An item of the baton.
    browser.click(&item("decision_log", "Keep sessions in memory"));
    browser.until(&format!("{SHOWN}.includes('D3  Keep sessions in memory')"));
    let shown = browser.evaluate(SHOWN);
    assert!(shown.as_str().unwrap().contains("#7 · agent at review"), "{shown}");
    assert_eq!(browser.evaluate(DRAWN), json!([7, 6, 5, 4, 3, 2, 1]));
    assert_eq!(browser.evaluate("document.querySelectorAll('#provenance .graph path').length"), 6);

    // An item that another revision changed.
    browser.click(&item("acceptance", "p95 below 200 ms"));
    browser.until(&format!("{SHOWN}.includes('p95 below 200 ms')"));
    let shown = browser.evaluate(SHOWN);
    assert!(
        shown.as_str().unwrap().contains("#1 · maria") && shown.as_str().unwrap().contains("#7 · agent at review"),
        "{shown}"
    );

    // An entry, by mouse and by keyboard.
    browser.click("document.querySelector('#timeline button[data-seq=\"6\"]')");
    browser.until(&format!("{SHOWN}.includes('#6 fact latency')"));
    assert_eq!(browser.evaluate(DRAWN), json!([6, 5]));
    browser.evaluate("document.querySelector('#timeline button[data-seq=\"4\"]').focus()");
    browser.press("Enter", 13);
    browser.until(&format!("{SHOWN}.includes('#4 patch baton/2')"));
    assert_eq!(browser.evaluate("document.activeElement.dataset.seq"), "4", "the focus stays");
    browser.until("document.getElementById('revision').innerText.startsWith('revision 2')");
    assert_eq!(browser.evaluate(&format!("{}.className", item("open_questions", "Which store"))), "item gone");
    let gone = browser.evaluate(&format!("{}.innerText", item("open_questions", "Which store")));
    assert!(gone.as_str().unwrap().contains("removed by #4 · "), "{gone}");
    let fact = browser.evaluate("document.querySelector('#timeline button[data-seq=\"6\"]').innerText");
    assert!(fact.as_str().unwrap().starts_with("latency: "), "{fact}");
    browser.evaluate("document.getElementById('scrub').focus()");
    browser.press("ArrowLeft", 37);
    browser.until("document.getElementById('revision').innerText.startsWith('revision 1')");

    hostile_content_is_text(&mut browser);
    nothing_was_sent(&mut browser);
}

fn hostile_content_is_text(browser: &mut Browser) {
    browser.click("document.querySelector('#timeline button[data-seq=\"8\"]')");
    browser.until("document.getElementById('revision').innerText.startsWith('revision 4')");
    let state = browser.evaluate("document.getElementById('state').innerText");
    for text in &HOSTILE[..3] {
        assert!(state.as_str().unwrap().contains(text), "{text} is not shown: {state}");
        browser.click(&item("current_state", text));
        browser.until(&format!("{SHOWN}.includes({})", json!(text)));
    }
    assert!(state.as_str().unwrap().contains("\\u{202e}<svg"), "{state}");
    browser.click(&item("artifacts", "javascript:"));
    browser.until(&format!("{SHOWN}.includes('javascript:window.pwned=6')"));
    browser.click(&item("__proto__", "polluted"));
    browser.until(&format!("{SHOWN}.includes('polluted')"));
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    assert_eq!(browser.evaluate("typeof ({}).polluted"), "undefined");
    let foreign = "document.querySelectorAll('img, iframe, object, embed, link, base, form, [onerror], [onload], \
                   body script:not(#data), a[href]:not(.skip, .up)').length";
    assert_eq!(browser.evaluate(foreign), 1, "the page's own script and nothing else");
    assert_eq!(browser.evaluate("document.querySelectorAll('a[href^=javascript]').length"), 0);
    // The policy stops what the page would never do.
    browser.evaluate(
        "{ const script = document.createElement('script'); const run = document.createElement('img'); \
         try { script.textContent = 'window.pwned=7'; document.body.append(script); } catch {} \
         run.src = 'https://evil.example/x'; document.body.append(run); 0 }",
    );
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
}

fn nothing_was_sent(browser: &mut Browser) {
    let url = |event: &Value| event["request"]["url"].as_str().unwrap().to_owned();
    let sent: Vec<String> = browser.events("Network.requestWillBeSent").iter().map(url).collect();
    let outside: Vec<&String> = sent.iter().filter(|url| !url.starts_with("file:///")).collect();
    let left = outside.into_iter().filter(|url| !url.starts_with("about:") && !url.starts_with("data:"));
    let blocked: Vec<Value> = browser.events("Network.loadingFailed");
    let blocked = blocked.iter().filter(|event| event["blockedReason"] == "csp").count();
    // The one that the test itself made, and that the policy stopped.
    assert_eq!(left.collect::<Vec<_>>(), ["https://evil.example/x"]);
    assert_eq!(blocked, 1);
    assert!(
        browser
            .events("Network.responseReceived")
            .iter()
            .all(|event| event["response"]["url"].as_str().unwrap().starts_with("file:///"))
    );
    assert_eq!(browser.events("Runtime.exceptionThrown"), Vec::<Value>::new());
}

#[test]
fn a_page_that_takes_strings_for_markup_is_caught() {
    if skipped() {
        return;
    }
    let folder = story();
    let page = folder.run(&["log", "--html"]).ends(0).out;
    let policy = page.lines().find(|line| line.contains("Content-Security-Policy")).unwrap();
    let broken = page.replace(policy, "").replace("element.textContent = seen(text);", "element.innerHTML = text;");
    assert_eq!(broken.matches("innerHTML").count(), 1);
    std::fs::write(folder.at("broken.html"), broken).unwrap();
    let mut browser = Browser::start(folder.path());
    browser.open(&folder.at("broken.html"));
    browser.until("typeof window.pwned === 'number'");
    assert!(browser.events("Network.requestWillBeSent").len() > 1, "what it asked for was not seen");
}

#[test]
fn the_page_fits_a_phone() {
    if skipped() {
        return;
    }
    let folder = story();
    folder.run(&["log", "--html", "-o", "log.html"]).ends(0);
    let mut browser = Browser::start(folder.path());
    browser.shape(360, 740);
    browser.open(&folder.at("log.html"));
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 360"), true);
    browser.click(&item("decision_log", "Keep sessions in memory"));
    browser.until(&format!("{SHOWN}.includes('D3  Keep sessions in memory')"));
    browser.until("document.getElementById('why').getBoundingClientRect().top < window.innerHeight / 2");
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= 360"), true);
}
