//! To and from the values of serde_json, for callers that hold those.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
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

impl<'de> Deserialize<'de> for Value<'static> {
    /// From what this program wrote: unlike the reader, it does not look for members of one name.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Builder)
    }
}

impl<'de> Deserialize<'de> for Object<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(object) => Ok(object),
            other => Err(serde::de::Error::custom(format!("expected an object, found {}", other.kind()))),
        }
    }
}

/// A member that is there, be it `null`: for members that may be absent, which `null` is not.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value<'static>>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

struct Builder;

impl<'de> Visitor<'de> for Builder {
    type Value = Value<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Value::integer(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(Number::from_text(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(serde_json::Number::from_f64(value)
            .map_or(Value::Null, |number| Value::Number(Number::from_text(number.to_string()))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::string(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Value::string(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut list: Vec<(Cow<'static, str>, Value<'static>)> = Vec::new();
        while let Some((name, value)) = members.next_entry::<String, Value<'static>>()? {
            list.push((name.into(), value));
        }
        Ok(Value::Object(Object::from_members(list)))
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
