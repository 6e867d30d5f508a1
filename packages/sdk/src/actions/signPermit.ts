import { permitViewsAbi } from "@dueday/core/abi/permit";
import { hashPermit, LONGEST_PERMIT_SECONDS, PERMIT_TYPES } from "@dueday/core/permit/permit";
import { type Account, type Address, domainSeparator, getAddress, isAddressEqual } from "viem";
import { getBlock, readContract, signTypedData } from "viem/actions";
import { DuedayError } from "../http/duedayError";
import type { DuedayMethods } from "../operationTypes";
import { readApprovalBound } from "./readApprovalBound";
import type { WalletClient } from "./sendTransactions";
import { signingTarget } from "./signingTarget";

export type SignPermitParameters = {
  /** The service that prepares the permit and keeps it. */
  dueday: Pick<DuedayMethods, "preparePermit" | "keepPermit">;
  /** The token in which the wallet pays. */
  token: Address;
  /** Periods to allow, of the subscription with the longest period: 1 to 120. */
  periods: number;
  /** Default: the client's own. */
  account?: Account | Address | undefined;
  /** The protocol's contract. Default: that of the wallet's chain, where it is built in (Base, Base Sepolia). */
  contract?: Address | undefined;
  /**
   * Called with the service's answer after it was checked; its `typedData` is what the wallet will be asked to sign. A promise is awaited: if it
   * rejects, nothing is signed.
   */
  onChecked?: ((answer: PreparedPermit) => unknown) | undefined;
};

/** What the service prepares for the signature of a permit. */
export type PreparedPermit = Awaited<ReturnType<DuedayMethods["preparePermit"]>>;

/** The permit as the service keeps it, and the digest that was signed. */
export type SignedPermit = Awaited<ReturnType<DuedayMethods["keepPermit"]>> & { hash: `0x${string}` };

/**
 * Renews the allowance of a wallet without ether: signs a permit (EIP-2612) and has the service keep it, so that a keeper can submit it. What
 * the service prepares is checked against the wallet and its own node before it is signed: token, chain, owner, deadline, and the bound of the
 * allowance. Contract and nonce are not taken from the answer.
 *
 * Rejects with the codes of prepare_permit and keep_permit, REFUSED where the answer was not what was asked for (then nothing was signed),
 * and viem's errors where the wallet's owner rejects.
 *
 * @example
 * await signPermit(wallet, { dueday, token: usdc, periods: 12 });
 */
export async function signPermit(client: WalletClient, parameters: SignPermitParameters): Promise<SignedPermit> {
  const { dueday, periods, onChecked } = parameters;
  const token = getAddress(parameters.token);
  const { chainId, contract, from, account } = await signingTarget(client, parameters);
  const view = { address: token, abi: permitViewsAbi } as const;
  // Prepared first: for a token without permits the call has to reject with PERMIT_UNSUPPORTED, and the reads below would fail.
  const answer = await dueday.preparePermit({ from, token, approvalPeriods: periods }, { chainId });
  const { typedData } = answer;
  const [bound, nonce, separator, { timestamp }] = await Promise.all([
    readApprovalBound(client, { contract, account: from, token, time: { periods } }),
    readContract(client, { ...view, functionName: "nonces", args: [from] }),
    readContract(client, { ...view, functionName: "DOMAIN_SEPARATOR" }),
    getBlock(client),
  ]);
  const { name, version } = typedData.domain;
  const domain = { name, version, chainId, verifyingContract: token };
  const value = BigInt(typedData.message.value);
  const deadline = BigInt(typedData.message.deadline);
  const refuse = (fault: string) => new DuedayError("REFUSED", `Refused to sign what was prepared: ${fault}`);
  if (domainSeparator({ domain }) !== separator) throw refuse(`the domain is not that of the token ${token}`);
  if (!isAddressEqual(getAddress(typedData.message.owner), from)) throw refuse(`it is not the permit of ${from}`);
  if (value > bound.ofRenewal) throw refuse(`the allowance is higher than ${bound.ofRenewal} units of the token`);
  if (deadline > timestamp + BigInt(LONGEST_PERMIT_SECONDS)) throw refuse("it can be submitted for more than 35 days");
  // Built from the checked values, so that no unchecked field of the answer is signed.
  const message = { owner: from, spender: contract, value, nonce, deadline };
  const shown = { ...typedData.message, owner: from, spender: contract, nonce: nonce.toString() };
  await onChecked?.({ ...answer, typedData: { ...typedData, domain, message: shown } });
  const { Permit } = PERMIT_TYPES;
  const signature = await signTypedData(client, { account, domain, types: { Permit }, primaryType: "Permit", message });
  const kept = await dueday.keepPermit(
    { from, token, value: value.toString(), deadline: deadline.toString(), signature },
    { chainId },
  );
  return { ...kept, hash: hashPermit(domain, message) };
}
