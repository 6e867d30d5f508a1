import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { claimChainIdentity, ForeignDatabaseError } from "./claimChainIdentity";

const { database } = await createTestDatabase();

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const OTHER_CONTRACT = "0x6A0791Cd884f2199dC8F372f6715f675D2950922";

function identity(chainId: number) {
  return { chainId, contract: CONTRACT, genesisHash: `0x${"a".repeat(64)}` };
}

test("several processes can claim a new database for the same chain at once, and again later", async () => {
  await Promise.all(Array.from({ length: 5 }, () => claimChainIdentity(database, identity(1))));
  await claimChainIdentity(database, identity(1));
});

test("a database of another contract is rejected, and the error names both", async () => {
  await claimChainIdentity(database, identity(2));
  const claim = claimChainIdentity(database, { ...identity(2), contract: OTHER_CONTRACT });
  await expect(claim).rejects.toThrow(ForeignDatabaseError);
  await expect(claim).rejects.toThrow(`contract (${CONTRACT}, not ${OTHER_CONTRACT}) for chain 2`);
});

test("a database of another chain with the same id is rejected by its genesis block", async () => {
  await claimChainIdentity(database, identity(3));
  const claim = claimChainIdentity(database, { ...identity(3), genesisHash: `0x${"b".repeat(64)}` });
  await expect(claim).rejects.toThrow(/another chain \(genesis 0xa+, not 0xb+\)/);
});

test("a database can hold several chains", async () => {
  await claimChainIdentity(database, identity(4));
  await claimChainIdentity(database, { ...identity(5), contract: OTHER_CONTRACT });
});
