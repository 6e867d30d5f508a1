import { expect, test } from "bun:test";
import { getAddress } from "viem";
import { checkTransaction, type Expected } from "./checkTransaction";

const expected: Expected = {
  chainId: 31337,
  contract: getAddress("0xfaf5fc2f77b21bc188f492b827d366b03a07c61f"),
  from: getAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8"),
};
const REMIT = "0x7507ba39";
const other = "0x6a0791cd884f2199dc8f372f6715f675d2950922";
const honest = { to: expected.contract, data: REMIT, value: "0", chainId: 31337, from: expected.from };
const answer = { chainId: 31337, signingMode: "raw", unsignedTransactions: [honest], preflight: {} };

function withTransaction(change: Record<string, unknown>): unknown {
  return { ...answer, unsignedTransactions: [{ ...honest, ...change }] };
}

test("a bare remit() to the expected contract passes, in upper and lower case hex", () => {
  const accepted = { transaction: { chainId: 31337, to: expected.contract, data: REMIT, value: 0n } };
  expect<unknown>(checkTransaction(answer, expected)).toEqual(accepted);
  const upper = withTransaction({
    to: expected.contract.toLowerCase(),
    from: expected.from.toLowerCase(),
    data: "0x7507BA39",
  });
  expect<unknown>(checkTransaction(upper, expected)).toEqual(accepted);
});

test("fields that are not checked never reach the signature", () => {
  const greedy = withTransaction({
    gas: "1",
    gasPrice: "999999999999",
    nonce: 0,
    authorizationList: [{ address: other }],
  });
  expect<unknown>(checkTransaction(greedy, expected)).toEqual(checkTransaction(answer, expected));
});

const CONTRACT = "does not go to";
const VALUE = "carries a value";
const CALLDATA = "calldata";
const COUNT = "instead of one";
const APPROVE = `0x095ea7b3${other.slice(2).padStart(64, "0")}${"f".repeat(64)}`;

const hostile: [string, string, unknown][] = [
  ["another contract", CONTRACT, withTransaction({ to: other })],
  ["no contract (a creation)", CONTRACT, withTransaction({ to: null })],
  ["a contract that only looks like it", CONTRACT, withTransaction({ to: `${expected.contract}00` })],
  ["another sender", "is not sent by", withTransaction({ from: other })],
  ["a value", VALUE, withTransaction({ value: "1" })],
  ["a value in another form", VALUE, withTransaction({ value: "0x0" })],
  ["a value as a number", VALUE, withTransaction({ value: 0 })],
  ["no value", VALUE, withTransaction({ value: undefined })],
  ["an approve", CALLDATA, withTransaction({ data: APPROVE })],
  ["data after the selector", CALLDATA, withTransaction({ data: `${REMIT}00` })],
  ["no data", CALLDATA, withTransaction({ data: "0x" })],
  ["data as a list", CALLDATA, withTransaction({ data: [REMIT] })],
  ["another chain in the transaction", "the transaction is for another chain", withTransaction({ chainId: 8453 })],
  ["the chain as text", "the transaction is for another chain", withTransaction({ chainId: "31337" })],
  ["another chain in the answer", "the answer is for another chain", { ...answer, chainId: 8453 }],
  ["two transactions", COUNT, { ...answer, unsignedTransactions: [honest, honest] }],
  ["no transaction", COUNT, { ...answer, unsignedTransactions: [] }],
  ["a transaction that is null", "is not an object", { ...answer, unsignedTransactions: [null] }],
  ["no list", "is not a list", { ...answer, unsignedTransactions: { 0: honest, length: 1 } }],
  ["a batch", "signingMode", { ...answer, signingMode: "eip5792" }],
  ["a batch beside the transaction", "eip5792", { ...answer, eip5792: { calls: [honest] } }],
  ["null", "is not an object", null],
  ["a list", "is not an object", [answer]],
  ["text", "is not an object", JSON.stringify(answer)],
];

test.each(hostile)("refused: %s", (_, reason, prepared) => {
  expect(checkTransaction(prepared, expected)).toEqual({ refused: expect.stringContaining(reason) });
});
