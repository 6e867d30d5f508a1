import type { Address } from "viem";
import { MAX_UINT256 } from "../amounts/tokenUnits";
import type { Holding, RemitToken } from "./state";

/** An allowance that is never spent. */
export const INFINITE_ALLOWANCE = MAX_UINT256;

/** By how much allowance and balance are below one payment, token units; 0 for the one that suffices. */
export type Lack = { allowance: bigint; balance: bigint };

const NOTHING: Holding = { balance: 0n, allowance: 0n };

/** A refused transfer: the token's reason ("" where it can't be known) and the account that caused it. */
export type Refusal = { reason: string; account: Address };

/**
 * Working copy of one token's balances and allowances, in token units: copies a holding when it is first needed, and never
 * writes to the state it began with.
 */
export class TokenLedger {
  private readonly copies = new Map<Address, Holding>();
  private protocolBalance: bigint;
  private lastPayer: Address | null = null;
  private lastHolding: Holding = NOTHING;

  constructor(
    readonly address: Address,
    /** The token's state before the transfers of this ledger. */
    public token: RemitToken,
    readonly protocol: Address,
  ) {
    this.protocolBalance = token.protocolBalance;
  }

  /** What `owner` lacks to pay `units`, or null where it has enough (protocol part 5, rule 2c). */
  lackOf(owner: Address, units: bigint): Lack | null {
    const { balance, allowance } = this.payer(owner);
    if (allowance >= units && balance >= units) return null;
    return { allowance: above(units, allowance), balance: above(units, balance) };
  }

  /** Adds to an account's allowance and balance. */
  give(owner: Address, { allowance, balance }: Lack): void {
    const holding = this.payer(owner);
    holding.allowance += allowance;
    holding.balance += balance;
  }

  /** transferFrom by the protocol. An allowance of 2^256 - 1 stays, as in OpenZeppelin's tokens. */
  take(from: Address, to: Address, units: bigint): Refusal | null {
    const refusal = this.refusal(from, to);
    if (refusal !== null) return refusal;
    const holding = this.payer(from);
    if (holding.allowance < units || holding.balance < units) return { reason: "", account: from };
    if (holding.allowance !== INFINITE_ALLOWANCE) holding.allowance -= units;
    holding.balance -= units;
    this.credit(to, units);
    return null;
  }

  /** A transfer by the protocol from its own balance. */
  send(to: Address, units: bigint): Refusal | null {
    const refusal = this.refusal(this.protocol, to);
    if (refusal !== null) return refusal;
    if (this.protocolBalance < units) return { reason: "", account: this.protocol };
    this.protocolBalance -= units;
    this.credit(to, units);
    return null;
  }

  /** What an account holds now. The protocol needs no allowance. */
  holdingOf(account: Address): Readonly<Holding> {
    return account === this.protocol ? { balance: this.protocolBalance, allowance: 0n } : this.holding(account);
  }

  /**
   * Remembers the last payer, because a payment needs it several times in a row: in a large state each look-up misses
   * the processor's caches.
   */
  private payer(account: Address): Holding {
    if (account !== this.lastPayer) {
      this.lastHolding = this.holding(account);
      this.lastPayer = account;
    }
    return this.lastHolding;
  }

  private holding(account: Address): Holding {
    const known = this.copies.get(account);
    if (known !== undefined) return known;
    const { balance, allowance } = this.token.holdings.get(account) ?? NOTHING;
    const copy = { balance, allowance };
    this.copies.set(account, copy);
    return copy;
  }

  private credit(to: Address, units: bigint): void {
    if (to === this.protocol) this.protocolBalance += units;
    else this.holding(to).balance += units;
  }

  private refusal(from: Address, to: Address): Refusal | null {
    const { blocked } = this.token;
    if (blocked.size === 0) return null;
    for (const account of [from, to]) {
      const reason = blocked.get(account);
      if (reason !== undefined) return { reason, account };
    }
    return null;
  }
}

function above(units: bigint, held: bigint): bigint {
  return units > held ? units - held : 0n;
}
