import { formatUnits } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { ApprovedToken, ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { type Address, getAddress, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import type { ReadResults } from "./readMany";
import { readTable } from "./readTable";
import { shortAddress, tokenDecimalsRead, tokenTextRead } from "./tokenRead";

export type ReadApprovedTokensParameters = {
  contract: Address;
  /** Candidates: approving a token emits no event, so they come from settings and from logs. */
  tokens: readonly Address[];
  block: ChainBlock;
};

/** The protocol's record of one token; see `readApprovedTokens`. */
export async function readApprovedToken(
  client: ChainClient,
  { token, ...target }: Omit<ReadApprovedTokensParameters, "tokens"> & { token: Address },
): Promise<{ token: ApprovedToken }> {
  const { tokens } = await readApprovedTokens(client, { ...target, tokens: [token] });
  const [found] = tokens;
  if (found === undefined) throw new Error("readApprovedTokens did not return the token");
  return { token: found };
}

/**
 * The protocol's record of each of `tokens`, in their order; `approved` is false for a token without one. `decimals` come from
 * the record, which decides how amounts are converted, and from the token itself only where there is no record.
 */
export async function readApprovedTokens(
  client: ChainClient,
  { contract, tokens, block }: ReadApprovedTokensParameters,
): Promise<ApprovedTokens> {
  const rows = await readTable(client, tokens, (token) => approvedTokenReads(contract, token), block);
  return { tokens: rows.map(({ key: token, results }) => presentApprovedToken(token, results)) };
}

/** The reads of one token, for those who send them with others. */
export function approvedTokenReads(contract: Address, token: Address) {
  return [
    protocolRead(contract, "approvedERC20", [token]),
    tokenTextRead(token, "symbol"),
    tokenTextRead(token, "name"),
    tokenDecimalsRead(token),
  ] as const;
}

/** The record of one token by the results of its reads. Throws UPSTREAM_ERROR for those of another contract than the protocol's. */
export function presentApprovedToken(
  token: Address,
  [record, symbol, name, ownDecimals]: ReadResults<ReturnType<typeof approvedTokenReads>>,
): ApprovedToken {
  const [recorded, recordedDecimals, paused, minimum18] = expectValue(record, "approvedERC20");
  const approved = recorded !== zeroAddress;
  const decimals = approved ? recordedDecimals : ownDecimals.ok ? ownDecimals.value : 0;
  const minimum = toTokenUnits(minimum18, decimals);
  return {
    address: getAddress(token),
    symbol: (symbol.ok && symbol.value) || shortAddress(getAddress(token)),
    name: name.ok ? name.value : "",
    decimals,
    minimum: formatUnits(minimum, decimals),
    minimumRaw: minimum.toString(),
    paused,
    approved,
  };
}
