import { expect, test } from "bun:test";
import { hex } from "@dueday/db/test/smallIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { getAddress } from "viem";
import { findPermit, storePermit } from "./storePermit";

const { database } = await createTestDatabase();
const contract = getAddress(hex(1, 20));

/** Keeps a permit of a new owner until `deadline`. Returns its id. */
async function keep(chainId: number, owner: number, { deadline, at }: { deadline: bigint; at: bigint }) {
  const id = crypto.randomUUID();
  const [token, signature] = [getAddress(hex(7, 20)), hex(owner, 65)];
  const permit = { token, owner: getAddress(hex(owner, 20)), spender: contract, signature, isOfKey: true };
  await storePermit(database, {
    id,
    chainId,
    contract,
    permit: { ...permit, value: 5n, nonce: 0n, allowance: 0n, deadline },
    hash: hex(owner, 32),
    blockTimestamp: at,
    now: new Date(0),
  });
  return id;
}

test("a permit that is kept removes expired ones of its chain, and none of a chain whose time is earlier", async () => {
  const [here, there] = [
    await keep(1, 11, { deadline: 200n, at: 100n }),
    await keep(2, 12, { deadline: 200n, at: 100n }),
  ];
  await keep(1, 13, { deadline: 400n, at: 300n });
  expect(await findPermit(database, { chainId: 1, contract, id: here })).toBe(null);
  expect(await findPermit(database, { chainId: 2, contract, id: there })).toMatchObject({ id: there, deadline: 200n });
});
