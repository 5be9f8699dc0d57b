//! The texts of the bench, each put together from sentences in a fixed random order.

/// A text, and the ratios to aim at.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// Against tiktoken-rs and against bpe-openai.
    pub(crate) targets: [Option<f64>; 2],
}

pub(crate) fn samples() -> Vec<Sample> {
    let mut order = Order(17);
    let letters: Vec<String> = ('a'..='z').map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    vec![
        sample("English", order.text(&ENGLISH, " ", 4_000), Some(0.15), None),
        sample("JSON", order.text(&JSON, ",\n  ", 4_000), Some(0.15), None),
        sample("code", include_str!("../../src/split.rs").chars().take(4_000).collect(), Some(0.15), None),
        sample("Chinese", order.text(&CHINESE, "", 5_000), None, Some(1.0)),
        sample("emoji", order.text(&EMOJI, "", 4_000), None, Some(1.0)),
        sample("other scripts", order.text(&OTHERS, " ", 4_000), None, None),
        sample("one piece: a", "a".repeat(100_000), None, Some(2.0)),
        sample("one piece: -", "-".repeat(100_000), None, Some(2.0)),
        sample("one piece: letters", order.text(&letters, "", 100_000), None, Some(2.0)),
        sample(
            "one piece: Chinese",
            order.text(&["的", "是", "不", "了", "人", "我", "中国", "学习"], "", 100_000),
            None,
            Some(2.0),
        ),
    ]
}

fn sample(name: &'static str, text: String, against_tiktoken: Option<f64>, against_bpe: Option<f64>) -> Sample {
    Sample { name, text, targets: [against_tiktoken, against_bpe] }
}

struct Order(u32);

impl Order {
    /// Parts in random order, until there are `bytes` of them.
    fn text(&mut self, parts: &[&str], between: &str, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(parts[(self.0 >> 16) as usize % parts.len()]);
            text.push_str(between);
        }
        text
    }
}

const ENGLISH: [&str; 24] = [
    "The parser reads the whole document before it decides anything, because half a decision is worse than none.",
    "Yesterday's run failed at step four; the log says the connection was reset by the peer after 30 seconds.",
    "We agreed to keep the old endpoint until March, and to warn every caller that still uses it.",
    "Nobody has looked at the retry policy yet, so the numbers in this section are guesses.",
    "If the budget is exceeded, the oldest finding is moved to the archive and a pointer stays behind.",
    "It's unclear whether the customer wants a refund or a replacement; ask them before you ship anything.",
    "Three of the seven candidate libraries support streaming, but only one of them documents its error codes.",
    "The migration took eleven minutes on staging, with a short lock on the accounts table near the end.",
    "Don't merge this without a review from someone who knows the billing code.",
    "Measurements on the slower machine were repeated five times, and the median is given.",
    "A colleague suggested replacing the queue with a simple table, which would remove two moving parts.",
    "Unfortunately the certificate expires on the ninth, and the person who can renew it is travelling.",
    "The second experiment contradicts the first: compression made the transfer slower, not faster.",
    "Please summarise the open questions for the next reader and delete what has been answered.",
    "Their documentation claims thread safety; reading the source suggests otherwise.",
    "Authentication now happens in the gateway, so the services behind it can trust the header.",
    "Performance is good enough for now. We'd rather spend the week on the import of historical data.",
    "Every assumption that turned out to be wrong is listed below, together with the evidence against it.",
    "She wrote the original scheduler in an afternoon, and it has been running unattended for nine years.",
    "The remaining work is small: rename the flag, update the changelog, and tell the operations team.",
    "Temperatures in the server room rose above 40 °C twice in August, which explains the disk errors.",
    "An empty list means that nothing was found, while a missing list means that nobody has looked.",
    "Interviews with twelve users showed that most of them never open the advanced settings.",
    "Finally, check that the totals in the report equal the sums in the ledger, to the cent.",
];

const JSON: [&str; 8] = [
    r#"{"id": "f-0017", "claim": "the cache is never invalidated", "confidence": 0.85, "evidence": ["src/cache.rs:120", "log 2026-03-04"]}"#,
    r#"{"op": "replace", "path": "/decisions/3/status", "value": "superseded"}"#,
    r#""constraints": {"deadline": "2026-12-01T09:30:00Z", "budget_tokens": 1000, "language": null, "strict": true}"#,
    r#"{"name": "search", "arguments": {"query": "rate limit header", "limit": 20, "exclude": ["tests/", "vendor/"]}}"#,
    r#""metrics": [12.5, 13.25, 9.75e-3, -40, 0, 1048576, 3.14159]"#,
    r#"{"user": {"firstName": "Ana", "last_name": "Sørensen", "e-mail": "ana@example.org"}, "roles": ["admin", "editor"]}"#,
    r#""open_questions": ["Which\tregion?\n", "Is \"soft delete\" acceptable?", "https://example.org/a/b?c=d&e=%20f"]"#,
    r#"{"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "size": 48213, "mode": "0644"}"#,
];

const CHINESE: [&str; 20] = [
    "昨天的测试在第四步失败了，日志显示连接被对方重置。",
    "我们决定保留旧接口到三月份，并通知所有仍在使用它的调用者。",
    "目前还没有人检查重试策略，所以这一节里的数字只是猜测。",
    "如果超出预算，最早的发现会被移到归档，并留下一个指针。",
    "客户想要退款还是换货尚不清楚，发货之前请先询问。",
    "七个候选库中有三个支持流式处理，但只有一个说明了错误代码。",
    "数据迁移在预发布环境用了十一分钟，最后短暂锁定了账户表。",
    "没有熟悉计费代码的人审阅，请不要合并这个改动。",
    "在较慢的机器上重复测量了五次，表中给出的是中位数。",
    "有同事建议用一张简单的表代替消息队列，这样可以少两个组件。",
    "证书将于九日到期，而能够更新证书的人正在出差。",
    "第二次实验与第一次矛盾：压缩使传输变慢，而不是变快。",
    "请为下一位读者总结尚未解决的问题，并删除已经回答的内容。",
    "身份验证现在由网关完成，后面的服务可以信任请求头。",
    "每个被证明是错误的假设都列在下面，并附上反对它的证据。",
    "剩下的工作不多：重命名参数，更新变更记录，通知运维团队。",
    "八月份机房温度两次超过四十度，这解释了磁盘错误的原因。",
    "空列表表示什么都没有找到，缺少列表表示没有人查看过。",
    "对十二名用户的访谈表明，大多数人从未打开过高级设置。",
    "最后，请核对报告中的总数与账本中的合计是否一致，精确到分。",
];

const EMOJI: [&str; 20] = [
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "👍🏽",
    "❤️",
    "🇩🇪",
    "🇯🇵🇧🇷",
    "1️⃣",
    "😀😃",
    "☎︎",
    "🧑🏿‍🚀",
    "🎉🎊",
    "🤷🏻‍♀️",
    "🔥",
    "✨",
    "🫠",
    "💯",
    " 🚀",
    "🐈‍⬛",
    "⚠️ ",
    "🥲",
];

const OTHERS: [&str; 8] = [
    "Вчерашний запуск завершился ошибкой на четвёртом шаге, соединение было сброшено.",
    "昨日のテストは第四段階で失敗しました。ログによると接続がリセットされました。",
    "어제 실행은 네 번째 단계에서 실패했으며 연결이 재설정되었습니다.",
    "فشل التشغيل أمس في الخطوة الرابعة، ويقول السجل إن الاتصال أعيد ضبطه.",
    "การทดสอบเมื่อวานล้มเหลวในขั้นตอนที่สี่",
    "कल का परीक्षण चौथे चरण में विफल रहा, और लॉग कहता है कि कनेक्शन टूट गया।",
    "Η χθεσινή εκτέλεση απέτυχε στο τέταρτο βήμα.",
    "Việc chạy thử hôm qua thất bại ở bước thứ tư.",
];
