import { expect, test } from "bun:test";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { type SignInFacts, signInMessage } from "./signInMessage";

const facts: SignInFacts = {
  address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  origin: "https://dueday.example:8443",
  chainId: 8453,
  nonce: "0123456789abcdef",
  issuedAt: new Date("2026-11-22T18:00:00.000Z"),
  expiresAt: new Date("2026-11-22T18:05:00.000Z"),
};

test("the message is the one that viem's library makes of the same facts", () => {
  const message = signInMessage(facts);
  const { address, chainId, nonce, issuedAt, expiresAt } = facts;
  const { statement = "" } = parseSiweMessage(message);
  expect(statement).not.toBe("");
  const domain = "dueday.example:8443";
  const fields = { domain, uri: facts.origin, version: "1", statement, expirationTime: expiresAt } as const;
  expect(message).toBe(createSiweMessage({ address, chainId, nonce, issuedAt, ...fields }));
});
