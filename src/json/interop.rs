//! To and from the values of serde_json, for callers that hold those.

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::value::{Number, Object, Value};

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Number<'_> {
    /// As an integer where it is written as one and fits 64 bits, else as a double.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str();
        if let Ok(value) = text.parse::<u64>() {
            return serializer.serialize_u64(value);
        }
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(value), _) if value != 0 => serializer.serialize_i64(value),
            (_, Ok(value)) if value.is_finite() => serializer.serialize_f64(value),
            _ => Err(S::Error::custom("a number is larger than any double")),
        }
    }
}

impl From<serde_json::Value> for Value<'static> {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(number) => Self::Number(Number::from_text(number.to_string())),
            serde_json::Value::String(text) => Self::string(text),
            serde_json::Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(map) => {
                let members = map.into_iter().map(|(name, value)| (name.into(), Self::from(value)));
                Self::Object(Object::from_members(members.collect()))
            }
        }
    }
}

impl Value<'_> {
    /// The same value for serde_json, which keeps integers of 64 bits and doubles.
    ///
    /// # Errors
    /// When a number is larger than any double; the reader accepts such a number only with `Numbers::AsWritten`.
    pub fn to_serde(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

#[cfg(test)]
#[path = "interop_test.rs"]
mod tests;
