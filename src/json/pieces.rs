//! A text made of pieces of another and of new text between them.

/// Pieces of a document, and new text between them, in order.
///
/// Places are kept in four bytes, since there may be millions of pieces; the document has less than 2 GiB.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    document: &'a str,
    /// All new text, end to end.
    added: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    new: bool,
    start: u32,
    end: u32,
}

impl<'a> Pieces<'a> {
    /// No piece of `document` yet.
    pub(super) fn of(document: &'a str) -> Self {
        Self { document, added: String::new(), pieces: Vec::new() }
    }

    /// Appends a part of the document; with the part before it, if they touch.
    pub(super) fn keep(&mut self, start: usize, end: usize) {
        match self.pieces.last_mut() {
            Some(last) if !last.new && last.end as usize == start => last.end = end as u32,
            _ if start < end => self.pieces.push(Piece { new: false, start: start as u32, end: end as u32 }),
            _ => {}
        }
    }

    /// Appends what `write` writes.
    pub(super) fn add(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.added.len() as u32;
        write(&mut self.added);
        let end = self.added.len() as u32;
        match self.pieces.last_mut() {
            Some(last) if last.new && last.end == start => last.end = end,
            _ => self.pieces.push(Piece { new: true, start, end }),
        }
    }

    /// Whether no place was too far on for its four bytes.
    pub(super) fn fits(&self) -> bool {
        u32::try_from(self.added.len()).is_ok()
    }

    /// The texts of the pieces, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(|piece| {
            let whole = if piece.new { self.added.as_str() } else { self.document };
            whole.get(piece.start as usize..piece.end as usize).unwrap_or_default()
        })
    }

    /// How many bytes the whole text has.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| (piece.end - piece.start) as usize).sum()
    }

    /// Whether the whole text is the document as it was.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        matches!(self.pieces.as_slice(), [piece] if !piece.new && piece.start == 0 && piece.end as usize == self.document.len())
    }

    /// The whole text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.bytes());
        self.iter().for_each(|piece| text.push_str(piece));
        text
    }
}
