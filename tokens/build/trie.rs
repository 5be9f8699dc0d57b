//! A plain trie over the tokens of one encoding.

use crate::vocabulary::Vocabulary;

/// One prefix of at least one token.
#[derive(Default)]
pub(crate) struct Node {
    /// The longer prefixes by one byte, in ascending order of that byte.
    pub(crate) children: Vec<(u8, usize)>,
    /// The token that is this prefix itself.
    pub(crate) token: Option<Token>,
    /// The lowest turn of a token that starts with this prefix: see [`Vocabulary::turns`].
    pub(crate) turn: u32,
}

/// The rank of a token, and the lengths of the parts that its last merge joins.
pub(crate) struct Token {
    pub(crate) rank: u32,
    pub(crate) left: usize,
    pub(crate) right: usize,
}

/// All prefixes of all tokens; the first node is the empty prefix.
pub(crate) struct Trie {
    nodes: Vec<Node>,
}

impl Trie {
    /// Inserts the tokens by turns, so that whoever makes a node has the lowest turn below it.
    pub(crate) fn of(vocabulary: &Vocabulary, familiar: &Vocabulary) -> Self {
        let mut trie = Self { nodes: vec![Node::default()] };
        for (rank, turn) in vocabulary.turns(familiar).into_iter().zip(0..) {
            let (token, split) = (&vocabulary.tokens()[rank], usize::from(vocabulary.splits()[rank]));
            let node = token.iter().fold(0, |node, &byte| trie.child(node, byte, turn));
            let rank = u32::try_from(rank).unwrap_or(u32::MAX);
            trie.nodes[node].token = Some(Token { rank, left: split, right: token.len() - split });
        }
        trie
    }

    pub(crate) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    fn child(&mut self, at: usize, byte: u8, turn: u32) -> usize {
        match self.nodes[at].children.binary_search_by_key(&byte, |child| child.0) {
            Ok(place) => self.nodes[at].children[place].1,
            Err(place) => {
                let new = self.nodes.len();
                self.nodes.push(Node { turn, ..Node::default() });
                self.nodes[at].children.insert(place, (byte, new));
                new
            }
        }
    }
}
