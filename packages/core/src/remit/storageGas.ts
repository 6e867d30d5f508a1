/** Gas of a storage access (EIP-2929). */
const COLD_SLOT = 2_100;
const COLD_ACCOUNT = 2_600;
const WARM = 100;
/** Gas of the first change of a slot in a transaction, and what clearing one refunds (EIP-2200, EIP-3529). */
const FILL = 20_000;
const CHANGE = 2_900;
const CLEAR_REFUND = 4_800;
/** What is refunded where a slot gets back the value that it had before the transaction. */
const RESTORE_EMPTY_REFUND = 19_900;
const RESTORE_REFUND = 2_800;

/** The gas and the refund of one transaction's accesses to storage and accounts. A slot is identified by any text. */
export class StorageGas {
  gas = 0;
  refund = 0;
  /** Values before the transaction, of the slots that it has accessed. */
  private readonly originals = new Map<string, bigint>();
  private readonly accounts = new Set<string>();

  /** Reads a slot that holds `value`, which is needed only if the slot is written later. */
  read(slot: string, value = 0n): void {
    this.gas += this.isFirstAccess(slot, value) ? COLD_SLOT : WARM;
  }

  /** Changes a slot from `current` to `value`. */
  write(slot: string, current: bigint, value: bigint): void {
    if (this.isFirstAccess(slot, current)) this.gas += COLD_SLOT;
    const original = this.originals.get(slot) ?? current;
    if (current === value) {
      this.gas += WARM;
      return;
    }
    if (current === original) {
      this.gas += original === 0n ? FILL : CHANGE;
      if (value === 0n) this.refund += CLEAR_REFUND;
      return;
    }
    this.gas += WARM;
    if (original !== 0n && current === 0n) this.refund -= CLEAR_REFUND;
    if (original !== 0n && value === 0n) this.refund += CLEAR_REFUND;
    if (value === original) this.refund += original === 0n ? RESTORE_EMPTY_REFUND : RESTORE_REFUND;
  }

  /** Calls another contract. */
  call(account: string): void {
    this.gas += this.accounts.has(account) ? WARM : COLD_ACCOUNT;
    this.accounts.add(account);
  }

  private isFirstAccess(slot: string, value: bigint): boolean {
    if (this.originals.has(slot)) return false;
    this.originals.set(slot, value);
    return true;
  }
}
