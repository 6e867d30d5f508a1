import type { StubChain, StubLog } from "./stubChain";

/** Event codes of an existing subscription, as frequent as in this list. */
const LATER_CODES = [6, 6, 7, 2, 5, 8, 4, 3];

/** Adds blocks of a random history to stub chains: creations, and later events of what was created. */
export class StubHistory {
  private created = 0;

  constructor(private readonly random: () => number) {}

  mine(chain: StubChain, blocks: number): void {
    for (let block = 0; block < blocks; block++) {
      const logs = Array.from({ length: this.below(4) }, () => this.log());
      chain.mine(logs, this.below(1e9));
    }
  }

  private log(): StubLog {
    const isNew = this.created === 0 || this.random() < 0.2;
    const id = isNew ? ++this.created : 1 + this.below(this.created);
    const code = isNew ? 0 : (LATER_CODES[this.below(LATER_CODES.length)] ?? 0);
    const subscriber = isNew ? 0 : 10 + this.below(6);
    return { id, provider: 1 + (id % 5), subscriber, amount: BigInt(this.below(1e9)), code };
  }

  /** A whole number below the limit. */
  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
