//! The load: what kinds there are, how they run side by side, and what came of them.

use std::ops::Add;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How long one turn of any kind may take.
pub const TURN_MAX: Duration = Duration::from_secs(90);

/// How many wrong answers each task tells of.
const TOLD_MAX: u64 = 5;

/// One kind of load.
pub struct Kind {
    pub name: String,
    /// How many of it run at once.
    tasks: usize,
    /// The least time from one turn to the next, so that none takes all of the machine.
    every: Duration,
    /// A turn, which is given a number of its own, and gives how many answers were right.
    turn: Turn,
}

type Turn =
    Arc<dyn Fn(u64) -> Pin<Box<dyn Future<Output = anyhow::Result<u64>> + Send>> + Send + Sync>;

impl Kind {
    pub fn new<F>(
        name: String,
        tasks: usize,
        every: Duration,
        turn: impl Fn(u64) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = anyhow::Result<u64>> + Send + 'static,
    {
        Self { name, tasks, every, turn: Arc::new(move |seed| Box::pin(turn(seed))) }
    }
}

/// How many answers were right, and how many turns brought one that was not.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    pub right: u64,
    pub wrong: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { right: self.right + other.right, wrong: self.wrong + other.wrong }
    }
}

/// Runs all kinds at once for some time, and each turn that was begun to its end.
pub async fn run(kinds: &[Kind], duration: Duration) -> anyhow::Result<Vec<Tally>> {
    let end = Instant::now() + duration;
    let mut tasks = JoinSet::new();
    for (index, kind) in kinds.iter().enumerate() {
        for _ in 0..kind.tasks {
            let task = repeat(kind.name.clone(), kind.every, Arc::clone(&kind.turn), end);
            tasks.spawn(async move { (index, task.await) });
        }
    }
    let mut tallies = vec![Tally::default(); kinds.len()];
    while let Some(done) = tasks.join_next().await {
        let (index, tally) = done?;
        tallies[index] = tallies[index] + tally;
    }
    Ok(tallies)
}

async fn repeat(name: String, every: Duration, turn: Turn, end: Instant) -> Tally {
    let mut tally = Tally::default();
    let mut turns = interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while Instant::now() < end {
        turns.tick().await;
        let number = next_number();
        let done = timeout(TURN_MAX, turn(number)).await;
        match done.unwrap_or_else(|_| Err(anyhow!("not over after {TURN_MAX:?}"))) {
            Ok(right) => tally.right += right,
            Err(error) => {
                if tally.wrong < TOLD_MAX {
                    println!("{name}, turn {number}: {error:#}");
                }
                tally.wrong += 1;
            }
        }
    }
    tally
}

/// A number so far from all others that no two turns make the same boards.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Odd, so that the turns of a kind also begin with each sort of board.
    NEXT.fetch_add(10_001, Relaxed)
}
