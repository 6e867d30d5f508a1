import { type Address, type Hex, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";

/** The default mnemonic of anvil. Its keys are public; never use them on another chain. */
const MNEMONIC = "test test test test test test test test test test test junk";

export type TestAccount = { address: Address; privateKey: Hex };

/** Roles of the mnemonic's accounts. */
export const ACCOUNT_INDEX = {
  admin: 0,
  janitor: 1,
  keeper: 2,
  firstProvider: 3,
  historyKeeper: 9,
  firstSubscriber: 10,
} as const;

// Deriving the seed of a mnemonic takes some 20 ms.
const accounts = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();

/** The account of the test mnemonic with this index. The node holds its key too, if it was started with enough accounts. */
export function testAccount(index: number): TestAccount {
  const { privateKey } = accounts.deriveChild(index);
  if (!privateKey) throw new Error(`account ${index} of the test mnemonic has no private key`);
  return { address: privateKeyToAccount(toHex(privateKey)).address, privateKey: toHex(privateKey) };
}
