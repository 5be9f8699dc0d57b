//! What the page may do: run its own script, show its own style, and nothing else.

use relay_baton::json;

/// The policy of a page with one script and one style (Content Security Policy level 3).
pub(super) fn policy(script: &str, style: &str) -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        source(script),
        source(style)
    )
}

/// A text by its digest, as a policy names it (CSP level 3, section 2.3.1).
fn source(text: &str) -> String {
    let digest = json::digest(text.as_bytes());
    let digits = digest.strip_prefix("sha256:").unwrap_or_default().as_bytes();
    let nibble = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or_default();
    let bits: Vec<u32> = digits.iter().map(nibble).collect();
    format!("sha256-{}", base64(&bits))
}

/// Base64 (RFC 4648) of half bytes: three make two digits.
fn base64(nibbles: &[u32]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in nibbles.chunks(3) {
        let bits = (0..3).fold(0, |bits, place| bits << 4 | three.get(place).copied().unwrap_or_default());
        let digits = if three.len() == 1 { 1 } else { 2 };
        for shift in [6, 0].into_iter().take(digits) {
            let index = usize::try_from(bits >> shift & 63).unwrap_or_default();
            out.extend(DIGITS.get(index).copied().map(char::from));
        }
    }
    while !out.len().is_multiple_of(4) {
        out.push('=');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn digests_are_written_as_policies_name_them() {
        let nibbles =
            |text: &str| text.bytes().flat_map(|byte| [u32::from(byte >> 4), u32::from(byte & 15)]).collect::<Vec<_>>();
        // RFC 4648, section 10.
        for (text, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(&nibbles(text)), coded);
        }
    }
}
