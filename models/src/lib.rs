//! Models of what several processes, people and crashes can do to the rules of relay-baton, in every order.
//!
//! The state machines in them are the library's own; what is modelled is the world around. Each model has twins that are
//! known to be broken, and the checker has to find the fault of each: a model that cannot fail shows nothing.
//!
//! *Invariant.* Every model comes to its end: whatever could go round in a circle is counted and bounded. So "in the end"
//! is asked of the states from which nothing more can happen.

#[cfg(test)]
mod append;
#[cfg(test)]
mod ceiling;
#[cfg(test)]
mod effect;
