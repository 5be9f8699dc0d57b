use relay_baton_tokens::Encoding;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

pub(crate) fn peer(encoding: Encoding) -> &'static CoreBPE {
    match encoding {
        Encoding::O200kBase => o200k_base_singleton(),
        Encoding::Cl100kBase => cl100k_base_singleton(),
    }
}

pub(crate) fn peer_count(encoding: Encoding, text: &str) -> usize {
    peer(encoding).encode_ordinary(text).len()
}

/// Every token of the encoding that is text by itself.
pub(crate) fn texts_of_tokens(encoding: Encoding) -> Vec<String> {
    (0..)
        .map_while(|rank| peer(encoding).decode_bytes(&[rank]).ok())
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}
