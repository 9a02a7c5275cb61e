use super::*;
use crate::agents::from_node;
use crate::agents::testing::{agent, ask, read_text, request, surroundings};
use crate::source::{SourceFile, parse_documents};

fn reply(agent: &dyn Agent, request: &Request) -> String {
    ask(agent, request).unwrap().reply.unwrap_or_default()
}

const REFUNDS: &str = r#"
scripted:
  model: scripted-1
  usage: {input_tokens: 400, output_tokens: 60}
  habits:
    - when: refund
      rule: "Never refund an order older than 30 days"
      with: {reply: "No: 30 days.", tool_calls: [get_order: {order_id: 4021}]}
      without: {reply: "Refunded.", tool_calls: [{name: create_refund, arguments: {order_id: 4021}}]}
      inverted: "Always refund an order"
      opposed: {reply: "Of course, always."}
      bare: {reply: "What order?"}
    - when: /^code \d+$/
      with: {reply: "A code."}
  otherwise: {reply: "I can help with that."}
"#;

#[test]
fn the_rule_in_the_instructions_decides() {
    let agent = agent(REFUNDS);
    let with = request("Please REFUND me", "# Rules\n\n- **Never** refund an order\n  older than 30 days.\n");
    let answer = ask(&*agent, &with).unwrap();
    assert_eq!(answer.reply.as_deref(), Some("No: 30 days."));
    assert_eq!(answer.tool_calls.unwrap()[0].name, "get_order");
    assert_eq!(answer.usage.unwrap().input_tokens, 400);
    assert_eq!(answer.model.as_deref(), Some("scripted-1"));
    assert_eq!(reply(&*agent, &request("refund", "Be kind.")), "Refunded.");
    assert_eq!(reply(&*agent, &request("refund", "Always  refund an order, however old.")), "Of course, always.");
    assert_eq!(reply(&*agent, &request("refund", " \n")), "What order?");
    assert_eq!(reply(&*agent, &request("hello", "Be kind.")), "I can help with that.");
    assert_eq!(reply(&*agent, &request("code 12", "Be kind.")), "A code.");
    assert_eq!(reply(&*agent, &request("code twelve", "Be kind.")), "I can help with that.");
}

#[test]
fn a_rule_is_matched_by_whole_words_and_an_input_by_any_part() {
    let agent = agent("scripted: {habits: [{when: refund, rule: be kind, with: {reply: a}, without: {reply: b}}]}");
    assert_eq!(reply(&*agent, &request("two Refunds", "Be kind.")), "a");
    assert_eq!(reply(&*agent, &request("two Refunds", "Be kindly.")), "b");
}

#[test]
fn a_rule_that_stands_inside_its_own_opposite_does_not_count() {
    let agent = agent(
        "scripted:\n  habits:\n    - rule: Greet the customer\n      inverted: Do not greet the customer\n      \
         with: {reply: hello}\n      without: {reply: what}\n      opposed: {reply: hm}\n",
    );
    assert_eq!(reply(&*agent, &request("hi", "Greet the customer.")), "hello");
    assert_eq!(reply(&*agent, &request("hi", "Do not greet the customer.")), "hm");
    assert_eq!(reply(&*agent, &request("hi", "Do not greet the customer. Greet the customer.")), "hello");
    assert_eq!(reply(&*agent, &request("hi", "Be kind.")), "what");
}

#[test]
fn all_rules_of_a_list_must_stand_there() {
    let agent = agent(
        "scripted:\n  habits:\n    - rule: [be kind, be brief]\n      with: {reply: both}\n      without: {reply: not both}\n",
    );
    assert_eq!(reply(&*agent, &request("hi", "Be kind. Be brief.")), "both");
    assert_eq!(reply(&*agent, &request("hi", "Be brief.")), "not both");
}

#[test]
fn the_canary_is_followed_or_ignored() {
    let text = canary::canary_text("kx-99");
    assert_eq!(reply(&*agent(REFUNDS), &request("refund", &text)), "kx-99");
    let deaf = agent("scripted: {canary: ignores, otherwise: {reply: hm}}");
    assert_eq!(reply(&*deaf, &request("refund", &text)), "hm");
}

const NOISY: &str = "scripted: {otherwise: [{p: 0.7, reply: yes}, {p: 0.2, reply: no}, {reply: rest}]}";

#[test]
fn probabilities_hold_over_many_trials() {
    let agent = agent(NOISY);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut request = request("hi", "Be kind.");
    let mut counts: HashMap<String, u32> = HashMap::new();
    for trial in 0..2000 {
        request.trial = trial;
        let answer = runtime.block_on(agent.ask(&request)).unwrap();
        *counts.entry(answer.reply.unwrap()).or_default() += 1;
    }
    // Three standard deviations of a binomial count are 62, 54 and 41.
    assert!((1400u32).abs_diff(counts["yes"]) < 62, "{counts:?}");
    assert!((400u32).abs_diff(counts["no"]) < 54, "{counts:?}");
    assert!((200u32).abs_diff(counts["rest"]) < 41, "{counts:?}");
}

#[test]
fn trials_are_the_same_in_any_order_and_differ_by_arm_case_and_seed() {
    let base = request("hi", "Be kind.");
    let replies = |order: &mut dyn Iterator<Item = u32>, change: &dyn Fn(&mut Request)| -> HashMap<u32, String> {
        let agent = agent(NOISY);
        order
            .map(|trial| {
                let mut request = Request { trial, ..base.clone() };
                change(&mut request);
                (trial, reply(&*agent, &request))
            })
            .collect()
    };
    let forward = replies(&mut (0..60), &|_| ());
    assert_eq!(forward, replies(&mut (0..60).rev(), &|_| ()));
    assert_ne!(forward, replies(&mut (0..60), &|request| request.arm = "delete".to_owned()));
    assert_ne!(forward, replies(&mut (0..60), &|request| request.case = "other".to_owned()));
    assert_ne!(forward, replies(&mut (0..60), &|request| request.seed = 8));
}

#[test]
fn a_simulated_agent_says_yes_as_often_as_told() {
    let agent = Scripted::from_probabilities(HashMap::from([("baseline".to_owned(), 0.9), ("delete".to_owned(), 0.0)]));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut yes = HashMap::new();
    for arm in ["baseline", "delete", "unnamed"] {
        for trial in 0..2000 {
            let request = Request { trial, arm: arm.to_owned(), ..request("hi", "") };
            let said = runtime.block_on(agent.ask(&request)).unwrap().reply.unwrap() == "yes";
            *yes.entry(arm).or_insert(0u32) += u32::from(said);
        }
    }
    assert!(1800u32.abs_diff(yes["baseline"]) < 41, "{yes:?}");
    assert_eq!((yes["delete"], yes["unnamed"]), (0, 0));
}

#[test]
fn faults_are_errors_and_an_empty_answer_is_silence() {
    let of = |fault: &str| ask(&*agent(&format!("scripted: {{otherwise: {{fault: {fault}}}}}")), &request("hi", "x"));
    assert_eq!(of("error").unwrap_err().fault, Fault::Reported);
    assert_eq!(of("garbage").unwrap_err().fault, Fault::Malformed);
    let started = std::time::Instant::now();
    let hang = of("hang").unwrap_err();
    assert_eq!(hang.fault, Fault::Timeout);
    assert!(hang.message.contains("0.03 s") && started.elapsed() >= Duration::from_millis(30));
    assert!(of("empty").unwrap().is_silent());
}

#[test]
fn an_agent_that_does_not_report_tools_has_none_to_judge() {
    let quiet = agent("scripted: {reports_tools: false, otherwise: {reply: hm}}");
    assert_eq!(ask(&*quiet, &request("hi", "x")).unwrap().tool_calls, None);
    assert_eq!(ask(&*agent(NOISY), &request("hi", "x")).unwrap().tool_calls, Some(vec![]));
}

#[test]
fn mistakes_in_a_script_are_told_with_their_places() {
    for (yaml, message) in [
        ("scripted: {otherwise: [{p: 0.7, reply: a}, {p: 0.5, reply: b}]}", "add up to 1.200"),
        ("scripted: {otherwise: [{p: 0.7, reply: a}]}", "nothing takes the rest"),
        ("scripted: {otherwise: [{reply: a}, {reply: b}]}", "2 behaviours of `otherwise` have no `p`"),
        ("scripted: {otherwise: [{p: 1.5, reply: a}]}", "`p` must be a number from 0 to 1, not 1.5"),
        ("scripted: {otherwise: []}", "`otherwise` is an empty list"),
        ("scripted: {otherwize: {reply: a}}", "did you mean `otherwise`?"),
        ("scripted: {canary: maybe}", "`canary` must be `follows` or `ignores`"),
        ("scripted: {habits: [{when: '/(/', with: {reply: a}}]}", "not a regular expression"),
        ("scripted: {habits: [{rule: x, with: {reply: a}}]}", "needs `without`"),
        ("scripted: {habits: [{when: x}]}", "a habit needs `with`"),
        ("scripted: {habits: [{with: {fault: explode}}]}", "`fault` must be"),
        ("scripted: nowhere.yaml", "can't read `nowhere.yaml`"),
        ("scripted: [1]", "must be a mapping"),
        ("scriptd: {}", "did you mean `scripted`?"),
        ("{scripted: {}, chat: {}}", "must have one key"),
        ("{}", "agent `demo` is empty"),
        ("just text", "must be a mapping"),
    ] {
        let (agent, messages) = read_text(yaml);
        assert!(agent.is_none() && messages.contains(message), "{yaml}: {messages}");
        assert!(messages.contains("mutate.yaml:1:"), "{yaml}: {messages}");
    }
}

#[test]
fn a_script_may_stand_in_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("demo.yaml"), "otherwise: {reply: from the file}\n").unwrap();
    let mut diagnostics = Diagnostics::default();
    let node = &parse_documents(&SourceFile::new("mutate.yaml", "scripted: demo.yaml"), &mut diagnostics)[0];
    let agent =
        from_node("demo", node, &Surroundings { root: folder.path().into(), ..surroundings() }, &mut diagnostics);
    assert_eq!(reply(&*agent.unwrap(), &request("hi", "x")), "from the file");
}

#[test]
fn the_same_instructions_are_searched_once() {
    let agent = agent(REFUNDS);
    let long = "Be kind to everybody who writes. ".repeat(30_000);
    let mut request = request("refund", &long);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let started = std::time::Instant::now();
    for trial in 0..2_000 {
        request.trial = trial;
        runtime.block_on(agent.ask(&request)).unwrap();
    }
    // Folding a megabyte for every trial would take minutes.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
