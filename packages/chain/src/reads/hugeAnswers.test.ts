import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { deployMulticall } from "@dueday/chain/test/deployMulticall";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { testAccount } from "@dueday/devnet/testAccount";
import { concatHex, type Hex, numberToHex } from "viem";
import { readHead } from "../block/readHead";
import { createChainClient } from "../client/createChainClient";
import { readApprovedTokens } from "./readApprovedTokens";
import { readTokenInfos } from "./readTokenInfos";

// A node takes seconds for megabytes where others use its cores.
setDefaultTimeout(120_000);

const MB = 2 ** 20;
const push3 = (value: number) => concatHex(["0x62", numberToHex(value, { size: 3 })]);
/** Answers every call with a text of this number of bytes, all zero: MSTORE the offset and the length, RETURN. */
const textOf = (bytes: number): Hex => concatHex(["0x60205f52", push3(bytes), "0x602052", push3(bytes + 64), "0x5ff3"]);
/** Reverts every call with this number of bytes. */
const revertOf = (bytes: number): Hex => concatHex([push3(bytes), "0x5ffd"]);

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({ scenario: missedPayments, now: Date.UTC(2026, 2, 20, 12) / 1000 });
});
afterAll(() => devnet.stop());

const tokens = [
  { name: "whose texts have 1 MB", bytecode: textOf(MB) },
  { name: "whose texts have 3 MB", bytecode: textOf(3 * MB) },
  { name: "that reverts with 1 MB", bytecode: revertOf(MB) },
  { name: "that reverts with 3 MB", bytecode: revertOf(3 * MB) },
];

for (const through of ["a program of the request", "Multicall3"]) {
  test.each(tokens)(
    `a token $name is shown without them, and the tokens beside it as they are, by ${through}`,
    async ({ bytecode }) => {
      const { client, contract, tokens: good, url } = devnet;
      if (through === "Multicall3") await deployMulticall(devnet);
      const { address: huge } = testAccount(9);
      await client.setCode({ address: huge, bytecode });
      await client.mine({ blocks: 1 });
      const reader = createChainClient({
        chainId: 31337,
        rpcUrls: [url],
        requestTimeoutMs: 20_000,
        // Many times what the texts of a well-meant token take.
        maxResponseBytes: MB,
      });
      const parameters = { contract, tokens: [...good, huge], block: await readHead(reader) };
      const { tokens: shown } = await readApprovedTokens(reader, parameters);
      const alone = await readApprovedTokens(reader, { ...parameters, tokens: good });
      expect(shown.slice(0, -1)).toEqual(alone.tokens);
      const { symbol = "", name = "", approved } = shown.at(-1) ?? {};
      expect({ symbol, name, approved }).toEqual({
        symbol: `${huge.slice(0, 6)}…${huge.slice(-4)}`,
        name: "",
        approved: false,
      });
      expect((await readTokenInfos(reader, parameters)).size).toBe(good.length + 1);
    },
  );
}
