import { expect, test } from "bun:test";
import { DuedayError } from "@dueday/sdk";
import { TransactionExecutionError, UserRejectedRequestError } from "viem";
import { describeFailure } from "./describeFailure";

const rejection = new UserRejectedRequestError(new Error("User rejected the request."));

test.each([
  ["a wallet's own error", Object.assign(new Error("denied"), { code: 4001 })],
  ["the refusal of an upgrade that a batch needs (EIP-5792)", Object.assign(new Error("denied"), { code: 5750 })],
  ["one that viem has wrapped", new TransactionExecutionError(rejection, { account: null })],
])("a rejection by the wallet's owner is recognised in %s", (_, error) => {
  expect(describeFailure(error)).toMatchObject({ code: "REJECTED_IN_WALLET", issues: [] });
});

test("what was sent before a rejection, or may have been done before a time limit, is not denied", () => {
  expect(describeFailure({ code: 4001 }).remedy).toContain("What you confirmed before it stays.");
  expect(describeFailure(new DuedayError("TRANSACTION_FAILED", "reverted")).remedy).toContain("stays");
  expect(describeFailure(new DuedayError("TIMEOUT", "no answer")).remedy).toContain("may have done");
});

test.each([
  [{ code: 4902 }, "WRONG_CHAIN"],
  [{ code: -32002 }, "WALLET_BUSY"],
  [{ name: "ConnectorChainMismatchError" }, "WRONG_CHAIN"],
  [{ name: "WrongAccountError" }, "WRONG_ACCOUNT"],
  [{ cause: { name: "InsufficientFundsError" } }, "NO_GAS"],
])("%p is %s", (facts, code) => {
  expect(describeFailure(Object.assign(new Error("failed"), facts)).code).toBe(code as never);
});

test("a refusal of the service keeps its issues and the number of its request", () => {
  const issues = [{ code: "BELOW_MINIMUM", path: "amount", message: "must be at least 0.01" }] as const;
  const error = new DuedayError("VALIDATION_ERROR", "amount must be at least 0.01", { issues, requestId: "r" });
  expect(describeFailure(error)).toMatchObject({ code: "VALIDATION_ERROR", issues, requestId: "r" });
  const revert = {
    code: "10",
    name: "INSUFFICIENT_ALLOWANCE_OR_BALANCE",
    message: "The allowance is too low",
  } as const;
  expect(describeFailure(new DuedayError("SIMULATION_FAILED", "reverted", { revert })).issues).toEqual([
    { message: revert.message },
  ]);
});

test("another text of a wallet is one line, cut and without invisible characters", () => {
  const { code, issues } = describeFailure(new Error(`\u202Ebad\u0007 ${"x".repeat(500)}\nRequest body: secret`));
  expect(code).toBe("WALLET_FAILED");
  expect(issues[0]?.message).toMatch(/^bad x{196}$/);
});

test("a cause that names itself as its cause ends", () => {
  const error: Error & { cause?: unknown } = new Error("loop");
  error.cause = error;
  expect(describeFailure(error).code).toBe("WALLET_FAILED");
});
