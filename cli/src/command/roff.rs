//! The text at the end of a help, in the language of manual pages (roff).

/// Lines as they were typed are between `.nf` and `.fi`.
struct Page {
    text: String,
    /// Whether prose goes on in the section that was begun.
    in_prose: bool,
    as_typed: bool,
}

/// Sections of a manual page. Indented lines are examples and tables, and stay as they are.
pub(super) fn sections(help: &str) -> String {
    let mut page = Page { text: String::new(), in_prose: false, as_typed: false };
    for line in help.lines() {
        match line {
            "" => page.paragraph(),
            "Example:" | "Examples:" => page.begin("EXAMPLES"),
            "Exit codes:" => page.begin("EXIT STATUS"),
            indented if indented.starts_with(' ') => page.typed(indented),
            text => page.prose(text),
        }
    }
    page.fill();
    page.text
}

impl Page {
    fn begin(&mut self, section: &str) {
        self.fill();
        self.text.push_str(&format!(".SH \"{section}\"\n"));
        self.in_prose = false;
    }

    fn fill(&mut self) {
        if std::mem::take(&mut self.as_typed) {
            self.text.push_str(".fi\n");
        }
    }

    fn paragraph(&mut self) {
        self.fill();
        if !self.text.is_empty() {
            self.text.push_str(".PP\n");
        }
    }

    fn typed(&mut self, line: &str) {
        if !self.as_typed {
            self.text.push_str(".nf\n");
            self.as_typed = true;
        }
        self.line(line);
    }

    fn prose(&mut self, line: &str) {
        self.fill();
        if !self.in_prose {
            self.begin(if self.text.is_empty() { "EXAMPLES" } else { "NOTES" });
            self.in_prose = true;
        }
        self.line(line);
    }

    /// A line in which nothing is a request or an escape.
    fn line(&mut self, line: &str) {
        if line.starts_with(['.', '\'']) {
            self.text.push_str("\\&");
        }
        for character in line.chars() {
            match character {
                '\\' => self.text.push_str("\\e"),
                '-' => self.text.push_str("\\-"),
                '\'' => self.text.push_str("\\(aq"),
                '`' => self.text.push_str("\\(ga"),
                other => self.text.push(other),
            }
        }
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn what_is_indented_stays_as_typed() {
        let help = "Examples:\n  a --b 'c'\n  d\n\n.x is\na note\n\nExit codes:\n    0  done\n";
        let page = ".SH \"EXAMPLES\"\n.nf\n  a \\-\\-b \\(aqc\\(aq\n  d\n.fi\n.PP\n.SH \"NOTES\"\n\\&.x is\na note\n.PP\n\
                    .SH \"EXIT STATUS\"\n.nf\n    0  done\n.fi\n";
        assert_eq!(sections(help), page);
    }
}
