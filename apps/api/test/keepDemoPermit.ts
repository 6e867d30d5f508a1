import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Database } from "@dueday/db/connectDatabase";
import { storePermit } from "@dueday/db/permits/storePermit";
import { signPermit } from "@dueday/devnet/demoArguments";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Address } from "viem";
import { TEST_CHAIN_ID } from "./startTestApi";

const [firstReader = 0] = demoPlans.find(({ key }) => key === "reader")?.subscribers ?? [];

/** The payer whose permit is kept. */
export const permitSigner = testAccount(ACCOUNT_INDEX.firstSubscriber + firstReader + 1);

/** Stores the signed permit of a payer of the demo, as POST /permits does. @returns its id */
export async function keepDemoPermit(
  database: Database,
  devnet: Devnet,
  { token, owner }: { token: Address /** Default: the account that signs. */; owner?: Address },
): Promise<string> {
  const { contract, client } = devnet;
  const { value, deadline, signature } = await signPermit(devnet, token, permitSigner);
  const allowance = await client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "allowance",
    args: [permitSigner.address, contract],
  });
  const id = crypto.randomUUID();
  await storePermit(database, {
    id,
    chainId: TEST_CHAIN_ID,
    contract,
    // Only has to differ from that of another permit.
    hash: `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`,
    permit: {
      token,
      owner: owner ?? permitSigner.address,
      spender: contract,
      value: BigInt(value),
      nonce: 0n,
      deadline: BigInt(deadline),
      signature,
      isOfKey: true,
      allowance,
    },
    blockTimestamp: (await client.getBlock()).timestamp,
    now: new Date(),
  });
  return id;
}
