import { expect, test } from "bun:test";
import { encodeAbiParameters, encodeErrorResult, type Hex, parseAbi } from "viem";
import { erc20Abi } from "../abi/erc20";
import { decodeRevert } from "./decodeRevert";
import { protocolReverts } from "./protocolReverts";

const standard = parseAbi(["error Error(string)", "error Panic(uint256)"]);

function reason(text: string): Hex {
  return encodeErrorResult({ abi: standard, errorName: "Error", args: [text] });
}

test("every number of the protocol has a name and a sentence", () => {
  for (const [code, known] of Object.entries(protocolReverts))
    expect(decodeRevert(reason(code))).toEqual({ code, ...known });
  expect(Object.keys(protocolReverts).length).toBe(21);
});

test("panics, token reasons, ERC-20 custom errors, unknown errors and empty data are distinguished", () => {
  const panic = encodeErrorResult({ abi: standard, errorName: "Panic", args: [17n] });
  const custom = encodeErrorResult({
    abi: erc20Abi,
    errorName: "ERC20InsufficientBalance",
    args: ["0x0000000000000000000000000000000000000001", 1n, 2n],
  });
  expect(decodeRevert(panic)).toMatchObject({ code: "Panic(17)", name: "PANIC_ARITHMETIC" });
  expect(decodeRevert(custom)).toMatchObject({ code: "ERC20InsufficientBalance", name: "ERC20InsufficientBalance" });
  expect(decodeRevert(reason("blocked"))).toMatchObject({ code: "blocked", name: "TOKEN_REASON" });
  expect(decodeRevert(reason("blocked")).message).toContain(`"blocked"`);
  expect(decodeRevert("0xdeadbeef00")).toMatchObject({ code: "0xdeadbeef", name: "UNKNOWN_ERROR" });
  expect(decodeRevert("0x")).toMatchObject({ code: "", name: "NO_REASON" });
  expect(decodeRevert(undefined)).toMatchObject({ code: "", name: "NO_REASON" });
});

test("a token's reason can neither forge lines nor be long", () => {
  const { code } = decodeRevert(reason(`a\n\u001b[31m\u202e${"x".repeat(10_000)}`));
  expect(code.startsWith("a\ufffd\ufffd[31m\ufffdx")).toBe(true);
  expect(new TextEncoder().encode(code).length).toBeLessThanOrEqual(200);
});

test("malformed revert data is an unknown error, not a crash", () => {
  const cut = encodeAbiParameters([{ type: "uint256" }], [32n]).slice(2);
  expect(decodeRevert(`0x08c379a0${cut}`)).toMatchObject({ name: "UNKNOWN_ERROR" });
});
