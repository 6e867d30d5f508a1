import type { Instruction } from "@dueday/core/schemas/prepareAnswer";
import type { Address } from "viem";

export type InstructionsParameters = {
  chainId: number;
  chainName: string;
  from: Address;
  /** In the order of signing; `title` is the name of each. */
  calls: readonly { title: string }[];
  /** Who pays the network's fee, where the wallet has the capability. */
  paymasterUrl: string | undefined;
  /** The last step, once all transactions are confirmed. */
  afterwards: string | undefined;
};

/** The steps that a person or an agent takes with the unsigned transactions. */
export function instructions({
  chainId,
  chainName,
  from,
  calls,
  paymasterUrl,
  afterwards,
}: InstructionsParameters): Instruction[] {
  const order = calls.map(({ title }, index) => `unsignedTransactions[${index}] (${title})`);
  const texts = [
    `Connect the wallet ${from} to ${chainName} (chain id ${chainId}).`,
    ...(order.length === 1
      ? [`Sign ${order[0]} and broadcast it to that chain.`]
      : [
          `Sign and broadcast in this order, each after the one before is confirmed: ${order.join(", then ")}. With a wallet that ` +
            "supports EIP-5792, send them as one batch instead: eip5792 is the parameter of wallet_sendCalls.",
        ]),
    ...(paymasterUrl === undefined
      ? []
      : [
          `With a wallet that has the capability paymasterService, send eip5792 with wallet_sendCalls instead: the paymaster ${paymasterUrl} then pays the network's fee.`,
        ]),
    "After each broadcast poll the transaction's status with its hash until confirmed is true and status is success " +
      `(POST /transactions/status?chainId=${chainId}, or the tool get_transaction_status).`,
    ...(afterwards === undefined ? [] : [afterwards]),
  ];
  return numbered(texts);
}

/** The steps that follow a check without transactions. */
export function readinessInstructions({
  ready,
  issues,
}: {
  ready: boolean;
  issues: readonly { message: string }[];
}): Instruction[] {
  if (!ready) {
    const causes = issues.map(({ message }) => `Resolve: ${message}`);
    return numbered([...causes, "Check again: nothing can be signed before all of these are resolved."]);
  }
  return numbered([
    "Send the same request without readinessOnly: its answer has the unsigned transactions.",
    "Compare its summary with what the user wants, then sign and broadcast as its instructions describe.",
  ]);
}

function numbered(texts: readonly string[]): Instruction[] {
  return texts.map((text, index) => ({ step: index + 1, text }));
}
