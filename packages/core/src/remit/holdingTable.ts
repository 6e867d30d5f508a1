import type { Address } from "viem";
import { shareEqual } from "./shareEqual";
import type { Holding } from "./state";
import { Table } from "./table";

/**
 * Balances and allowances of accounts in a token, stored in columns: 127 bytes of heap for each account, instead of 196
 * in a map of objects.
 */
export class HoldingTable extends Table<Address, Holding> {
  private readonly balances: bigint[] = [];
  private readonly allowances: bigint[] = [];
  private readonly share = shareEqual<bigint>();

  set(account: Address, { balance, allowance }: Holding): this {
    const place = this.placeFor(account);
    this.balances[place] = this.share(balance);
    this.allowances[place] = this.share(allowance);
    return this;
  }

  protected override at(place: number): Holding {
    return { balance: this.balances[place] ?? 0n, allowance: this.allowances[place] ?? 0n };
  }
}
