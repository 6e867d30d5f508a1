import { describe, expect, test } from "bun:test";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { checkPrepared, type ExpectedTransactions } from "@dueday/sdk/actions";
import { getAddress, type Hex } from "viem";

const REMIT = "0x7507ba39";
const expected: ExpectedTransactions = {
  chainId: 31337,
  contract: getAddress("0xfaf5fc2f77b21bc188f492b827d366b03a07c61f"),
  from: getAddress("0x70997970c51812dc3a010c7d01b50e0d17dc79c8"),
  call: { name: "remit()", data: REMIT },
};
const { contract, from } = expected;
const token = getAddress("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
const other = "0x6a0791cd884f2199dc8f372f6715f675d2950922";
const honest = { to: contract, data: REMIT, value: "0", chainId: 31337, from };
const answer = { chainId: 31337, signingMode: "raw", unsignedTransactions: [honest], preflight: {} };

function withTransaction(change: Record<string, unknown>): unknown {
  return { ...answer, unsignedTransactions: [{ ...honest, ...change }] };
}

test("a bare remit() to the expected contract passes, in upper and lower case hex", () => {
  const accepted = { transactions: [{ chainId: 31337, to: contract, data: REMIT, value: 0n }] };
  expect<unknown>(checkPrepared(answer, expected)).toEqual(accepted);
  const upper = withTransaction({ to: contract.toLowerCase(), from: from.toLowerCase(), data: "0x7507BA39" });
  expect<unknown>(checkPrepared(upper, expected)).toEqual(accepted);
});

test("fields that are not checked never reach the signature", () => {
  const extra = { gas: "1", gasPrice: "999999999999", nonce: 0, authorizationList: [{ address: other }] };
  expect<unknown>(checkPrepared(withTransaction(extra), expected)).toEqual(checkPrepared(answer, expected));
});

const CONTRACT = "does not go to";
const VALUE = "carries a value";
const CALLDATA = "calldata";
const COUNT = "instead of one";
const APPROVE = encodeApprove(other, 2n ** 256n - 1n);

const hostile: [string, string, unknown][] = [
  ["another contract", CONTRACT, withTransaction({ to: other })],
  ["no contract (a creation)", CONTRACT, withTransaction({ to: null })],
  ["a contract that only looks like it", CONTRACT, withTransaction({ to: `${contract}00` })],
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
  expect(checkPrepared(prepared, expected)).toEqual({ refused: expect.stringContaining(reason) });
});

describe("approvals before the call", () => {
  const MOST = 1_000_000n;
  const withApproval: ExpectedTransactions = { ...expected, approval: { token, most: MOST } };
  const approve = (data: Hex, change: Record<string, unknown> = {}) => ({ ...honest, to: token, data, ...change });
  const batch = (...before: unknown[]) => ({
    chainId: 31337,
    signingMode: "eip5792",
    eip5792: { calls: [{ to: other }] },
    unsignedTransactions: [...before, honest],
  });

  test("pass up to the bound, after a reset where the token needs one, and the batch of the answer is not used", () => {
    const [reset, approval] = [encodeApprove(contract, 0n), encodeApprove(contract, MOST)];
    expect<unknown>(checkPrepared(batch(approve(reset), approve(approval)), withApproval)).toEqual({
      transactions: [
        { chainId: 31337, to: token, data: reset, value: 0n },
        { chainId: 31337, to: token, data: approval, value: 0n },
        { chainId: 31337, to: contract, data: REMIT, value: 0n },
      ],
    });
    expect<unknown>(checkPrepared(answer, withApproval)).toEqual(checkPrepared(answer, expected));
  });

  const good = encodeApprove(contract, MOST);
  const spoiled: [string, unknown][] = [
    ["one unit more than the bound", batch(approve(encodeApprove(contract, MOST + 1n)))],
    ["for another spender", batch(approve(encodeApprove(other, MOST)))],
    ["of another token", batch(approve(good, { to: other }))],
    ["that is a transfer", batch(approve(`0xa9059cbb${good.slice(10)}`))],
    ["with data behind it", batch(approve(`${good}00`))],
    ["that is not hex", batch(approve(`0x${"zz".repeat(68)}`))],
    ["with a value", batch(approve(good, { value: "1" }))],
    ["on another chain", batch(approve(good, { chainId: 1 }))],
    ["too many", batch(approve(good), approve(good), approve(good))],
    ["after the call", { ...batch(), unsignedTransactions: [honest, approve(good)] }],
    ["as a single transaction", { ...batch(), signingMode: "raw", unsignedTransactions: [approve(good), honest] }],
  ];
  test.each(spoiled)("refused: an approval %s", (_, prepared) => {
    expect(checkPrepared(prepared, withApproval)).toHaveProperty("refused");
  });

  test("are refused where none was asked for", () => {
    expect(checkPrepared(batch(approve(good)), expected)).toEqual({ refused: expect.stringContaining(COUNT) });
  });
});
