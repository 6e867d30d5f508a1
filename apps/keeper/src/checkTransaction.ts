import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type Address, type Hex, isAddressEqual } from "viem";

/** What the keeper was told by its operator and its own node; nothing of it comes from the API. */
export type Told = { chainId: number; contract: Address; from: Address };

/** The only transaction this keeper signs: remit() without arguments or value. */
export type RemitTransaction = { chainId: number; to: Address; data: Hex; value: 0n };

export type Checked = { transaction: RemitTransaction } | { refused: string };

/**
 * The signing guard. Compares an answer of POST /prepare/remit with what the keeper was told, and refuses whatever is not
 * exactly one bare remit(). What it hands on to be signed is built from `told` alone, so a field of the answer that is not
 * looked at here (a gas price, an authorization list) can't reach the signature.
 */
export function checkTransaction(answer: unknown, told: Told): Checked {
  const fault = answerFault(answer, told);
  if (fault !== null) return { refused: fault };
  return { transaction: { chainId: told.chainId, to: told.contract, data: encodeRemit(), value: 0n } };
}

function answerFault(answer: unknown, told: Told): string | null {
  if (!isRecord(answer)) return "the answer is no object";
  if (answer.chainId !== told.chainId) return `the answer is for another chain than ${told.chainId}`;
  if (answer.signingMode !== "raw") return "signingMode is not raw";
  if (answer.eip5792 !== undefined) return "a batch (eip5792) was added";
  const { unsignedTransactions: transactions } = answer;
  if (!Array.isArray(transactions)) return "unsignedTransactions is no list";
  if (transactions.length !== 1) return `there are ${transactions.length} transactions instead of one`;
  return transactionFault(transactions[0], told);
}

function transactionFault(transaction: unknown, told: Told): string | null {
  if (!isRecord(transaction)) return "the transaction is no object";
  if (transaction.chainId !== told.chainId) return `the transaction is for another chain than ${told.chainId}`;
  if (!isSameAddress(transaction.to, told.contract)) return `the transaction does not go to ${told.contract}`;
  if (!isSameAddress(transaction.from, told.from)) return `the transaction is not sent by ${told.from}`;
  if (transaction.value !== "0") return "the transaction carries a value";
  if (typeof transaction.data !== "string" || transaction.data.toLowerCase() !== encodeRemit()) {
    return "the calldata is not that of remit()";
  }
  return null;
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
