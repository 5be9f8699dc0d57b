//! Numbers as decimal text: their grammar (RFC 8259, section 6), what a double keeps of them, and when two are equal.

use super::fault::{self, Fault};

/// The largest integer that every reader keeps exactly: 2^53−1 (RFC 7493, section 2.2).
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// From here on, the canonical form of an integer has an exponent (RFC 8785, section 3.2.2.3).
const EXPONENT_FROM: f64 = 1e21;

/// Where the number at `start` ends.
pub(super) fn end(text: &str, start: usize) -> Result<usize, Fault> {
    let bytes = text.as_bytes();
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    let whole = digits_end(bytes, at);
    match bytes.get(at) {
        Some(b'0') if whole > at + 1 => return Err(fault::leading_zero(text, start)),
        Some(b'0'..=b'9') => at = whole,
        _ => return Err(fault::no_digit(text, start, at)),
    }
    if bytes.get(at) == Some(&b'.') {
        at = some_digits(text, start, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at = some_digits(text, start, at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-'))))?;
    }
    match bytes.get(at) {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'+' | b'-') => Err(fault::after_number(text, start, at)),
        _ => Ok(at),
    }
}

fn digits_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
}

fn some_digits(text: &str, start: usize, at: usize) -> Result<usize, Fault> {
    let end = digits_end(text.as_bytes(), at);
    if end > at { Ok(end) } else { Err(fault::no_digit(text, start, at)) }
}

/// Why other readers would not keep a number (RFC 7493, section 2.2); `None` if they do.
pub(super) fn inexact(text: &str) -> Option<&'static str> {
    // At most 15 digits and no exponent: a double keeps them all.
    if text.len() <= 16 && text.bytes().all(|byte| byte != b'e' && byte != b'E') && digits(text) <= 15 {
        return None;
    }
    let Some(decimal) = Decimal::of(text) else {
        return Some("has an exponent that is out of range");
    };
    if decimal.is_zero() {
        return None;
    }
    let double: f64 = text.parse().unwrap_or(f64::INFINITY);
    if !double.is_finite() {
        return Some("is larger than any double");
    }
    if double == 0.0 {
        return Some("is smaller than any double but zero");
    }
    let size = double.abs();
    let spelt_as_integer = !text.contains(['.', 'e', 'E']);
    let read_as_integer = decimal.is_integer() && size < EXPONENT_FROM;
    if size > SAFE_INTEGER_MAX && (spelt_as_integer || read_as_integer) {
        return Some("is beyond \u{b1}(2^53\u{2212}1), where doubles skip integers");
    }
    let mut buffer = ryu_js::Buffer::new();
    let kept = Decimal::of(buffer.format_finite(double)).is_some_and(|kept| kept == decimal);
    if kept { None } else { Some("has more digits than a double keeps") }
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether two JSON numbers are the same decimal number.
pub(super) fn equal(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    match (Decimal::of(one), Decimal::of(two)) {
        (Some(one), Some(two)) => one == two,
        _ => false,
    }
}

/// A number as ±0.DIGITS × 10^point, without zeros at either end of the digits; zero has none.
struct Decimal<'a> {
    negative: bool,
    /// The digits before and after the decimal point.
    whole: &'a [u8],
    fraction: &'a [u8],
    point: i128,
}

impl<'a> Decimal<'a> {
    /// The number that `text` writes, unless its exponent has more than 30 digits.
    fn of(text: &'a str) -> Option<Self> {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |unsigned| (true, unsigned));
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let mut point = whole.len() as i128;
        let mut decimal = Self { negative, whole: whole.as_bytes(), fraction: fraction.as_bytes(), point: 0 };
        if whole.is_empty() {
            let significant = fraction.trim_start_matches('0');
            point = -((fraction.len() - significant.len()) as i128);
            decimal.fraction = significant.as_bytes();
        } else if fraction.is_empty() {
            decimal.whole = whole.trim_end_matches('0').as_bytes();
        }
        decimal.point = if decimal.is_zero() { 0 } else { point + exponent_of(exponent)? };
        Some(decimal)
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn is_integer(&self) -> bool {
        (self.whole.len() + self.fraction.len()) as i128 <= self.point
    }

    fn digits(&self) -> impl Iterator<Item = &u8> {
        self.whole.iter().chain(self.fraction)
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        self.negative == other.negative && self.point == other.point && self.digits().eq(other.digits())
    }
}

fn exponent_of(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', ..] => (true, text.get(1..)?),
        [b'+', ..] => (false, text.get(1..)?),
        _ => (false, text),
    };
    let digits = digits.trim_start_matches('0');
    if digits.len() > 30 {
        return None;
    }
    let size: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    Some(if negative { -size } else { size })
}

#[cfg(test)]
#[path = "number_test.rs"]
mod tests;
