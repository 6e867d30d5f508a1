import { type Address, type Hex, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** The mnemonic that every anvil uses: its keys are public, and worthless on any other chain. */
const MNEMONIC = "test test test test test test test test test test test junk";

export type TestAccount = { address: Address; privateKey: Hex };

/** Who is who among the mnemonic's accounts. */
export const ACCOUNT_INDEX = {
  admin: 0,
  janitor: 1,
  keeper: 2,
  firstProvider: 3,
  historyKeeper: 9,
  firstSubscriber: 10,
} as const;

/** The account of the test mnemonic with this index. The node holds its key as well if it was started with enough. */
export function testAccount(index: number): TestAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index });
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error(`account ${index} of the test mnemonic has no private key`);
  return { address: account.address, privateKey: toHex(privateKey) };
}
