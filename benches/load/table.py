"""The table of results, printed as it fills up."""


class Table:
    def __init__(self, machine):
        print(machine, end="\n\n")
        print("| what | baseline | | product, ns | ratio | goal | |")
        print("|---|---|---|---|---|---|---|", flush=True)

    def ratio(self, what, baseline, product, baseline_is, ratio_max, product_max=None):
        """A row of two figures, of which the second is to be so many times the first at most."""
        met = product <= baseline * ratio_max and (product_max is None or product <= product_max)
        goal = f"≤ {ratio_max:.3g}" + (f", ≤ {product_max}" if product_max else "")
        print(f"| {what} | {baseline:,.1f} | {baseline_is} | {product:,.1f} | "
              f"{product / baseline:.3g} | {goal} | {'met' if met else 'missed'} |", flush=True)

    def figure(self, what, product, most):
        """A row of one figure."""
        print(f"| {what} | | | {product:,.1f} | | ≤ {most} | "
              f"{'met' if product <= most else 'missed'} |", flush=True)
