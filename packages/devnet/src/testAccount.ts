import { type Address, type Hex, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

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

/** The account of the test mnemonic with this index. The node holds its key too, if it was started with enough accounts. */
export function testAccount(index: number): TestAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index });
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error(`account ${index} of the test mnemonic has no private key`);
  return { address: account.address, privateKey: toHex(privateKey) };
}
