import { type Address, getAddress, type Hex, isAddress, zeroAddress } from "viem";

/** Maps the names of a scenario to the addresses and ids of its replay, and back. */
export class Names {
  readonly #hexByName = new Map<string, Hex>();
  readonly #nameByHex = new Map<Hex, string>();

  constructor() {
    this.add("zero", zeroAddress);
  }

  /** Adds the name of an address or of a subscription id. */
  add(name: string, hex: Hex): void {
    this.#hexByName.set(name, hex);
    this.#nameByHex.set(normal(hex), name);
  }

  /** @throws Error if nothing has that name */
  hexOf(name: string): Hex {
    const hex = this.#hexByName.get(name);
    if (hex === undefined) throw new Error(`the scenario has nothing named ${name} at this step`);
    return hex;
  }

  /** @throws Error if nothing has that name, or it is a subscription */
  addressOf(name: string): Address {
    return getAddress(this.hexOf(name));
  }

  /** Returns the value itself if it has no name. */
  nameOf(hex: Hex): string {
    return this.#nameByHex.get(normal(hex)) ?? hex;
  }
}

function normal(hex: Hex): Hex {
  return isAddress(hex) ? getAddress(hex) : hex;
}
