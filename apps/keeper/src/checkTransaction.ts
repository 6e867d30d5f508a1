import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type Address, type Hex, isAddressEqual } from "viem";

/** The values that the transaction must have. They come from the operator and the keeper's own node, none from the API. */
export type Expected = { chainId: number; contract: Address; from: Address };

/** The only transaction this keeper signs: remit() without arguments or value. */
export type RemitTransaction = { chainId: number; to: Address; data: Hex; value: 0n };

export type Checked = { transaction: RemitTransaction } | { refused: string };

/**
 * The signing guard. Compares an answer of POST /prepare/remit with the expected values, and refuses everything except exactly
 * one bare remit(). The transaction that it returns for signing is built from `expected` alone, so a field of the answer that is
 * not checked here (a gas price, an authorization list) can't reach the signature.
 */
export function checkTransaction(answer: unknown, expected: Expected): Checked {
  const fault = answerFault(answer, expected);
  if (fault !== null) return { refused: fault };
  return { transaction: { chainId: expected.chainId, to: expected.contract, data: encodeRemit(), value: 0n } };
}

function answerFault(answer: unknown, expected: Expected): string | null {
  if (!isRecord(answer)) return "the answer is not an object";
  if (answer.chainId !== expected.chainId) return `the answer is for another chain than ${expected.chainId}`;
  if (answer.signingMode !== "raw") return "signingMode is not raw";
  if (answer.eip5792 !== undefined) return "a batch (eip5792) was added";
  const { unsignedTransactions: transactions } = answer;
  if (!Array.isArray(transactions)) return "unsignedTransactions is not a list";
  if (transactions.length !== 1) return `there are ${transactions.length} transactions instead of one`;
  return transactionFault(transactions[0], expected);
}

function transactionFault(transaction: unknown, expected: Expected): string | null {
  if (!isRecord(transaction)) return "the transaction is not an object";
  if (transaction.chainId !== expected.chainId) return `the transaction is for another chain than ${expected.chainId}`;
  if (!isSameAddress(transaction.to, expected.contract)) return `the transaction does not go to ${expected.contract}`;
  if (!isSameAddress(transaction.from, expected.from)) return `the transaction is not sent by ${expected.from}`;
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
