/** Counts what was right and what was not. */
export class Tally {
  passed = 0;
  failed = 0;

  /** Counts one thing, and says what it was when it failed. */
  count(right: boolean, what: string): void {
    if (right) {
      this.passed++;
    } else {
      this.failed++;
      console.log(`failed: ${what}`);
    }
  }

  plus(other: Tally): Tally {
    const sum = new Tally();
    sum.passed = this.passed + other.passed;
    sum.failed = this.failed + other.failed;
    return sum;
  }

  toString(): string {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}
