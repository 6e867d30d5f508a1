import { permitAbi, permitBytesAbi } from "@dueday/core/abi/permit";
import { protocolAbi } from "@dueday/core/abi/protocol";
import {
  type Account,
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  isHex,
  zeroAddress,
} from "viem";
import { readContract } from "viem/actions";
import { DuedayError } from "../http/duedayError";
import type { PlainMethods } from "../plainMethods";
import type { ActionOptions, ActionResult } from "./actionParameters";
import { checkPrepared } from "./checkPrepared";
import { sendTransactions, type WalletClient } from "./sendTransactions";
import { signingTarget } from "./signingTarget";

export type SubmitPermitParameters = {
  dueday: PlainMethods<"prepareSubmitPermit">;
  /** Id of a kept permit. */
  permitId: string;
  /** Default: the client's own. */
  account?: Account | Address | undefined;
  /** The protocol's contract. Default: that of the wallet's chain, where it is built in (Base, Base Sepolia). */
  contract?: Address | undefined;
} & Pick<ActionOptions, "onChecked" | "onSent">;

const permitsAbi = [...permitAbi, ...permitBytesAbi] as const;

/**
 * Submits a kept permit of any subscriber, and waits until it is mined. Signs nothing but a call of permit() for the protocol's contract, on
 * a token that the protocol accepts, as the wallet's own node shows.
 *
 * Rejects with the codes of prepare_submit_permit, REFUSED where the answer was not what was asked for (then nothing was signed),
 * TRANSACTION_FAILED where the transaction reverted, and viem's errors where the wallet's owner rejects.
 */
export async function submitPermit(client: WalletClient, parameters: SubmitPermitParameters): Promise<ActionResult> {
  const { dueday, permitId, onChecked, onSent } = parameters;
  const { chainId, contract, from, account } = await signingTarget(client, parameters);
  const answer = await dueday.prepareSubmitPermit({ from, permitId }, { chainId });
  const prepared = "unsignedTransactions" in answer ? answer.unsignedTransactions[0] : undefined;
  const data = prepared === undefined ? null : permitFor(contract, prepared.data);
  if (prepared === undefined || data === null)
    throw new DuedayError("REFUSED", `Refused to sign what was prepared: it is not a permit() for ${contract}`);
  const to = getAddress(prepared.to);
  const [accepted] = await readContract(client, {
    address: contract,
    abi: protocolAbi,
    functionName: "approvedERC20",
    args: [to],
  });
  if (accepted === zeroAddress)
    throw new DuedayError("REFUSED", `Refused to sign what was prepared: the protocol does not accept the token ${to}`);
  const call = { name: `permit() for ${contract}`, to, data };
  const checked = checkPrepared(answer, { chainId, contract, from, call });
  if ("refused" in checked) throw new DuedayError("REFUSED", `Refused to sign what was prepared: ${checked.refused}`);
  await onChecked?.(checked.transactions, answer);
  return { receipts: await sendTransactions(client, checked.transactions, { account, onSent }) };
}

/** The calldata of permit(), encoded again from its arguments; null for another call, or another spender. */
function permitFor(contract: Address, data: string): Hex | null {
  if (!isHex(data)) return null;
  try {
    const call = decodeFunctionData({ abi: permitsAbi, data });
    if (!isAddressEqual(call.args[1], contract)) return null;
    return encodeFunctionData({ abi: permitsAbi, ...call });
  } catch {
    return null;
  }
}
