//! References: the random names by which agents know entries.
//!
//! A sequence number would tell an agent how much it does not see; a reference tells nothing.

use std::fmt;

/// The digits of a reference: 32, without those that are taken for one another.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// So many characters a reference has: 80 bits.
const LENGTH: usize = 16;

/// The random name of an entry: 16 digits and lower-case letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Reference(String);

impl TryFrom<String> for Reference {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a reference is 16 digits and lower-case letters")
    }
}

impl Reference {
    /// The reference made of ten random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 10]) -> Self {
        let mut bits = bytes.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
        let mut digits = [b'0'; LENGTH];
        for digit in digits.iter_mut().rev() {
            let index = usize::try_from(bits & 31).unwrap_or_default();
            *digit = DIGITS.get(index).copied().unwrap_or_default();
            bits >>= 5;
        }
        Self(digits.iter().map(|digit| char::from(*digit)).collect())
    }

    /// The reference `text`, or `None` where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let sound = text.len() == LENGTH && text.bytes().all(|byte| DIGITS.contains(&byte));
        sound.then(|| Self(text.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_kept() {
        assert_eq!(Reference::from_random([0; 10]).as_str(), "0000000000000000");
        assert_eq!(Reference::from_random([255; 10]).as_str(), "zzzzzzzzzzzzzzzz");
        let mut seen = std::collections::BTreeSet::new();
        for bit in 0..80 {
            let mut bytes = [0; 10];
            bytes[bit / 8] = 1 << (bit % 8);
            let reference = Reference::from_random(bytes);
            assert_eq!(Reference::parse(reference.as_str()), Some(reference.clone()));
            assert!(seen.insert(reference));
        }
    }

    #[test]
    fn only_sixteen_digits_are_a_reference() {
        for text in ["", "000000000000000", "00000000000000000", "000000000000000i", "000000000000000Z", "12"] {
            assert_eq!(Reference::parse(text), None, "{text}");
        }
    }
}
