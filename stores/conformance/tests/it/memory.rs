use relay_baton::memory::Memory;
use relay_baton_store_conformance::{Handle, Place, Shared, history, suite};

struct InMemory(Shared<Memory>);

impl Place for InMemory {
    fn open(&self) -> Handle {
        Box::new(self.0.clone())
    }
}

fn fresh() -> Box<dyn Place> {
    Box::new(InMemory(Shared::default()))
}

#[test]
fn the_store_in_memory_has_every_property() {
    suite::run(&fresh);
}

#[test]
fn histories_of_the_store_in_memory_are_in_order() {
    history::histories(&*fresh(), 50, 1_000);
}
