import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import { type Address, getAddress, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import { readTable } from "./readTable";
import { shortAddress, tokenDecimalsRead, tokenTextRead } from "./tokenRead";

/** By checksummed address. */
export type TokenInfos = ReadonlyMap<Address, TokenInfo>;

export type ReadTokenInfosParameters = { contract: Address; tokens: readonly Address[]; block: ChainBlock };

/** The most tokens cached for each client: far more than an admin approves. */
const CACHE_LIMIT = 1_000;

/**
 * Symbol and decimals (those of the protocol's record, the token's own where there is none) of each token. They never change,
 * so a token with a record is read once in the client's life.
 */
export async function readTokenInfos(
  client: ChainClient,
  { contract, tokens, block }: ReadTokenInfosParameters,
): Promise<TokenInfos> {
  const cache = client.facts.tokens;
  const infos = new Map<Address, TokenInfo>();
  const unknown: Address[] = [];
  for (const token of new Set(tokens.map((each) => getAddress(each)))) {
    const known = cache.get(`${contract}:${token}`);
    if (known === undefined) unknown.push(token);
    else infos.set(token, known);
  }
  const rows = await readTable(
    client,
    unknown,
    (token) => [
      protocolRead(contract, "approvedERC20", [token]),
      tokenTextRead(token, "symbol"),
      tokenDecimalsRead(token),
    ],
    block,
  );
  for (const { key: token, results } of rows) {
    const [record, symbol, ownDecimals] = results;
    const [recorded, recordedDecimals] = expectValue(record, "approvedERC20");
    const approved = recorded !== zeroAddress;
    const info = {
      address: token,
      symbol: (symbol.ok && symbol.value) || shortAddress(token),
      decimals: approved ? recordedDecimals : ownDecimals.ok ? ownDecimals.value : 0,
    };
    infos.set(token, info);
    const isLasting = approved && (symbol.ok || !symbol.isBroken);
    if (isLasting && cache.size < CACHE_LIMIT) cache.set(`${contract}:${token}`, info);
  }
  return infos;
}
