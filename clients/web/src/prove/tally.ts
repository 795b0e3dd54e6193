/** Counts what was right and what was not. */
export class Tally {
  passed = 0;
  failed = 0;

  /** Counts one proof, which fails by throwing, and says what it was. */
  async prove(what: string, proof: () => Promise<void>): Promise<void> {
    try {
      await proof();
      this.passed++;
    } catch (error) {
      this.failed++;
      console.log(`failed: ${what}: ${error instanceof Error ? error.message : error}`);
    }
  }

  toString(): string {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}
