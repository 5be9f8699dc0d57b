//! A plain trie over the tokens of one encoding.

use crate::vocabulary::Vocabulary;

/// One prefix of at least one token.
#[derive(Default)]
pub(crate) struct Node {
    /// The longer prefixes by one byte, in ascending order of that byte.
    pub(crate) children: Vec<(u8, usize)>,
    /// The rank of the token that is this prefix itself.
    pub(crate) rank: Option<u32>,
    /// The lowest rank of a token that starts with this prefix: low ranks are common in text.
    pub(crate) lowest: u32,
}

/// All prefixes of all tokens; the first node is the empty prefix.
pub(crate) struct Trie {
    nodes: Vec<Node>,
}

impl Trie {
    /// Inserts the tokens in order of rank, so that whoever makes a node has the lowest rank below it.
    pub(crate) fn of(vocabulary: &Vocabulary) -> Self {
        let mut trie = Self { nodes: vec![Node::default()] };
        for (token, rank) in vocabulary.tokens().iter().zip(0..) {
            let mut at = 0;
            for &byte in token {
                at = trie.child(at, byte, rank);
            }
            trie.nodes[at].rank = Some(rank);
        }
        trie
    }

    pub(crate) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    fn child(&mut self, at: usize, byte: u8, rank: u32) -> usize {
        match self.nodes[at].children.binary_search_by_key(&byte, |child| child.0) {
            Ok(place) => self.nodes[at].children[place].1,
            Err(place) => {
                let new = self.nodes.len();
                self.nodes.push(Node { lowest: rank, ..Node::default() });
                self.nodes[at].children.insert(place, (byte, new));
                new
            }
        }
    }
}
