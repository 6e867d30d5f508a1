import { expect, test } from "bun:test";
import { type Address, encodeAbiParameters, getAddress, numberToHex, toEventSelector, zeroHash } from "viem";
import { tokensOfLogs } from "./tokensOfLogs";

const contract = getAddress("0x5FbDB2315678afecb367f032d93F642f64180aa3");
const SUB_LOG = toEventSelector("SubLog(bytes32,address,address,uint40,uint256,address,uint8)");
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");

const tokenAt = (index: number) => getAddress(numberToHex(index + 1, { size: 20 }));

const created = (token: Address) => ({
  address: contract,
  topics: [SUB_LOG, zeroHash, zeroHash, zeroHash],
  data: encodeAbiParameters(
    [{ type: "uint40" }, { type: "uint256" }, { type: "address" }, { type: "uint8" }],
    [1, 5n, token, 0],
  ),
});

const transferOf = (token: Address) => ({
  address: token,
  topics: [TRANSFER, zeroHash, zeroHash],
  data: numberToHex(1, { size: 32 }),
});

test("a token in an event of the protocol is included, even if none of it moved", () => {
  expect(tokensOfLogs([created(tokenAt(0)), transferOf(tokenAt(1)), transferOf(tokenAt(1))], contract)).toEqual([
    tokenAt(0),
    tokenAt(1),
  ]);
});

test("of a transaction with any number of tokens, the first 50 are returned", () => {
  const logs = Array.from({ length: 200 }, (_, index) => transferOf(tokenAt(index)));
  expect(tokensOfLogs(logs, contract)).toEqual(Array.from({ length: 50 }, (_, index) => tokenAt(index)));
});
