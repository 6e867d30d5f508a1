import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { type Address, getAddress, type Hex } from "viem";
import { call, readContract } from "viem/actions";
import { DuedayError } from "../http/duedayError";
import type { CheckedTransaction } from "./checkPrepared";
import { readApprovalBound } from "./readApprovalBound";
import type { WalletClient } from "./sendTransactions";

/** The approvals of `repair` in an account's health, and the days that it was asked for. */
export type RepairParameters = {
  approvals: readonly {
    token: Address;
    /** Token units: `amountRaw`. */
    units: bigint;
  }[];
  /** Days after today, 1 to 400. */
  days: number;
};

export type RepairTarget = RepairParameters & { chainId: number; contract: Address; account: Address };

/**
 * The transactions that set these approvals. Each amount is compared with what the account pays, which is read from the wallet's own node.
 *
 * @throws DuedayError REFUSED for an amount above the bound of a renewal for these days, and where there is nothing to approve
 */
export async function repairTransactions(client: WalletClient, target: RepairTarget): Promise<CheckedTransaction[]> {
  if (target.approvals.length === 0)
    throw new DuedayError("REFUSED", "Refused to sign: there is no approval to repair");
  const approvals = await Promise.all(target.approvals.map((each) => approve(client, target, each)));
  return approvals.flat();
}

async function approve(
  client: WalletClient,
  { chainId, contract, account, days }: RepairTarget,
  { token, units }: RepairParameters["approvals"][number],
): Promise<CheckedTransaction[]> {
  const to = getAddress(token);
  const { ofRenewal: most } = await readApprovalBound(client, { contract, account, token: to, time: { days } });
  if (units > most) {
    const message = `Refused to sign: the approval of ${to} is higher than ${most} units, the most that a renewal for ${days} days may set`;
    throw new DuedayError("REFUSED", message);
  }
  const transaction = (value: bigint) => ({ chainId, to, data: encodeApprove(contract, value), value: 0n }) as const;
  const [wanted, none] = [transaction(units), transaction(0n)];
  return (await mustBeZeroFirst(client, { account, token: to, contract, wanted: wanted.data, none: none.data }))
    ? [none, wanted]
    : [wanted];
}

/** Whether the token refuses to change an allowance that is not 0, as some do. */
async function mustBeZeroFirst(
  client: WalletClient,
  {
    account,
    token,
    contract,
    wanted,
    none,
  }: Record<"account" | "token" | "contract", Address> & Record<"wanted" | "none", Hex>,
): Promise<boolean> {
  const erc20 = { address: token, abi: erc20Abi } as const;
  const allowance = await readContract(client, { ...erc20, functionName: "allowance", args: [account, contract] });
  if (allowance === 0n) return false;
  const passes = (data: Hex) =>
    call(client, { account, to: token, data }).then(
      () => true,
      () => false,
    );
  return !(await passes(wanted)) && (await passes(none));
}
