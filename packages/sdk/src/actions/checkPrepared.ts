import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { type Address, decodeFunctionData, type Hex, isAddressEqual, isHex } from "viem";

type ProtocolCall = { name: string; data: Hex };

/** What the transactions of a prepare answer must be. Everything comes from the caller, its wallet and its own node. */
export type ExpectedTransactions = {
  chainId: number;
  /** The protocol. */
  contract: Address;
  /** The wallet that will sign. */
  from: Address;
  /**
   * The last transaction, or the one before `next`: a call of the protocol, or of the contract `to`. `name` is for messages, such as `remit()`.
   */
  call: ProtocolCall & { to?: Address };
  /** A call of the protocol that follows `call`, and then is the last transaction. */
  next?: ProtocolCall;
  /** Approvals that may precede the call: of this token, for the protocol, up to `most` of its units. */
  approval?: { token: Address; most: bigint };
};

/** A transaction to sign. Gas, nonce and fees are the wallet's. */
export type CheckedTransaction = { chainId: number; to: Address; data: Hex; value: 0n };

/** At least one transaction, in the order to sign them, or the reason not to sign. */
export type Checked = { transactions: readonly [CheckedTransaction, ...CheckedTransaction[]] } | { refused: string };

const NUMBERS = ["none", "one", "two", "three", "four"] as const;
/** approve(0), for tokens that refuse to change an allowance, and approve(value). */
const APPROVALS = 2;

/**
 * The signing guard. Compares the answer of a prepare operation with what was asked for, and refuses everything else. The
 * transactions that it returns are built from `expected` alone, except for the value of an approval, which `expected` limits: a field
 * of the answer that is not checked here (a gas price, an authorization list) can't reach the signature.
 */
export function checkPrepared(answer: unknown, expected: ExpectedTransactions): Checked {
  const { chainId, contract, call, next } = expected;
  if (!isRecord(answer)) return { refused: "the answer is not an object" };
  if (answer.chainId !== chainId) return { refused: `the answer is for another chain than ${chainId}` };
  const { unsignedTransactions: transactions, signingMode } = answer;
  if (!Array.isArray(transactions)) return { refused: "unsignedTransactions is not a list" };
  const calls: ExpectedTransactions["call"][] = next === undefined ? [call] : [call, next];
  const most = calls.length + (expected.approval === undefined ? 0 : APPROVALS);
  if (transactions.length < calls.length || transactions.length > most) {
    const allowed = most === calls.length ? NUMBERS[most] : `${NUMBERS[calls.length]} to ${NUMBERS[most]}`;
    return { refused: `there are ${transactions.length} transactions instead of ${allowed}` };
  }
  const mode = transactions.length === 1 ? "raw" : "eip5792";
  if (signingMode !== mode) return { refused: `signingMode is not ${mode}` };
  if (mode === "raw" && answer.eip5792 !== undefined) return { refused: "a batch (eip5792) was added" };
  const checked: CheckedTransaction[] = [];
  for (const transaction of transactions.slice(0, -calls.length)) {
    const approval = checkApproval(transaction, expected);
    if ("refused" in approval) return approval;
    checked.push(approval);
  }
  for (const { name, data, to = contract } of calls) {
    const fault = callFault(transactions[checked.length], { ...expected, to, data, name });
    if (fault !== null) return { refused: fault };
    checked.push({ chainId, to, data, value: 0n });
  }
  const [first, ...rest] = checked;
  return first === undefined ? { refused: "there is no transaction" } : { transactions: [first, ...rest] };
}

type ExpectedCall = Pick<ExpectedTransactions, "chainId" | "from"> & { to: Address; data: Hex; name: string };

function callFault(transaction: unknown, { chainId, from, to, data, name }: ExpectedCall): string | null {
  if (!isRecord(transaction)) return "the transaction is not an object";
  if (transaction.chainId !== chainId) return `the transaction is for another chain than ${chainId}`;
  if (!isSameAddress(transaction.to, to)) return `the transaction does not go to ${to}`;
  if (!isSameAddress(transaction.from, from)) return `the transaction is not sent by ${from}`;
  if (transaction.value !== "0") return "the transaction carries a value";
  if (typeof transaction.data !== "string" || transaction.data.toLowerCase() !== data.toLowerCase()) {
    return `the calldata is not that of ${name}`;
  }
  return null;
}

function checkApproval(transaction: unknown, expected: ExpectedTransactions): CheckedTransaction | { refused: string } {
  const { chainId, contract, approval } = expected;
  if (approval === undefined) return { refused: "an approval was added" };
  const value = approvedValue(transaction);
  // Encoded again, so data with another spender, or with more than the two arguments, differs.
  const data = encodeApprove(contract, value ?? 0n);
  const fault = callFault(transaction, { ...expected, to: approval.token, name: `approve(${contract}, ...)`, data });
  if (fault !== null) return { refused: fault };
  if (value === null || value > approval.most) {
    return { refused: `the approval is higher than ${approval.most} units of the token` };
  }
  return { chainId, to: approval.token, data, value: 0n };
}

/** What the last transaction of a prepare answer approves; null where it is not an approve(). */
export function lastApproval(answer: unknown): bigint | null {
  if (!isRecord(answer) || !Array.isArray(answer.unsignedTransactions)) return null;
  return approvedValue(answer.unsignedTransactions.at(-1));
}

function approvedValue(transaction: unknown): bigint | null {
  if (!isRecord(transaction) || typeof transaction.data !== "string" || !isHex(transaction.data)) return null;
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: transaction.data });
    return functionName === "approve" ? args[1] : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSameAddress(value: unknown, address: Address): boolean {
  return typeof value === "string" && isHexAddress(value) && isAddressEqual(value, address);
}

function isHexAddress(value: string): value is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(value);
}
