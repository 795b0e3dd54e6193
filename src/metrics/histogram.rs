use super::Counter;

/// How often values were found between bounds.
#[derive(Debug)]
pub(super) struct Histogram {
    bounds: &'static [u64],
    /// One more than there are bounds, for what is above the last.
    counts: Box<[Counter]>,
    sum: Counter,
}

/// What histograms of the same bounds have counted. There are no bounds as long as there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) bounds: &'static [u64],
    pub(super) counts: Vec<u64>,
    pub(super) sum: u64,
}

impl Histogram {
    /// One of values up to the bounds, in ascending order.
    pub(super) fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| Counter::default()).collect();
        Self { bounds, counts, sum: Counter::default() }
    }

    pub(super) fn observe(&self, value: u64) {
        let place = self.bounds.partition_point(|&bound| bound < value);
        self.counts[place].add(1);
        self.sum.add(value);
    }

    /// How many values there were.
    pub(super) fn count(&self) -> u64 {
        self.counts.iter().map(Counter::get).sum()
    }

    pub(super) fn add_to(&self, all: &mut Counted) {
        all.bounds = self.bounds;
        all.counts.resize(self.counts.len(), 0);
        for (sum, count) in all.counts.iter_mut().zip(&self.counts) {
            *sum += count.get();
        }
        all.sum += self.sum.get();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_what_is_below_it() {
        let histogram = Histogram::new(&[0, 10, 20]);
        for value in [0, 1, 10, 11, 20, 21, 1_000] {
            histogram.observe(value);
        }
        let mut all = Counted::default();
        histogram.add_to(&mut all);
        histogram.add_to(&mut all);
        assert_eq!((all.counts, all.sum), (vec![2, 4, 4, 4], 2 * 1_063));
    }
}
