import type { Address } from "viem";
import type { Instruction } from "./prepareAnswer";

export type InstructionsParameters = {
  chainId: number;
  chainName: string;
  from: Address;
  /** In the order of signing; `title` names each for people. */
  calls: readonly { title: string }[];
  /** What to do once all are confirmed. */
  afterwards: string | undefined;
};

/** What a person, or an agent, does with the unsigned transactions. */
export function instructions({ chainId, chainName, from, calls, afterwards }: InstructionsParameters): Instruction[] {
  const order = calls.map(({ title }, index) => `unsignedTransactions[${index}] (${title})`);
  const texts = [
    `Connect the wallet ${from} to ${chainName} (chain id ${chainId}).`,
    ...(order.length === 1
      ? [`Sign ${order[0]} and broadcast it to that chain.`]
      : [
          `Sign and broadcast in this order, each after the one before is confirmed: ${order.join(", then ")}. A wallet with ` +
            "EIP-5792 can take the whole batch at once instead: pass eip5792 as the parameter of wallet_sendCalls.",
        ]),
    `After each broadcast poll POST /transactions/status?chainId=${chainId} with its txHash until confirmed is true and status is success.`,
    ...(afterwards === undefined ? [] : [afterwards]),
  ];
  return texts.map((text, index) => ({ step: index + 1, text }));
}
