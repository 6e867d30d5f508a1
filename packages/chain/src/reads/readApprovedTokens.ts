import { formatUnits } from "@dueday/core/amounts/decimalText";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { ApprovedToken, ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { type Address, getAddress, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import { readTable } from "./readTable";
import { shortAddress, tokenDecimalsRead, tokenTextRead } from "./tokenRead";

export type ReadApprovedTokensParameters = {
  contract: Address;
  /** Candidates: approving a token emits no event, so they come from settings and from logs. */
  tokens: readonly Address[];
  block: ChainBlock;
};

/**
 * The protocol's record of each of `tokens`, in their order; `approved` is false for a token without one. `decimals` come from
 * the record, which decides how amounts are converted, and from the token itself only where there is no record.
 */
export async function readApprovedTokens(
  client: ChainClient,
  { contract, tokens, block }: ReadApprovedTokensParameters,
): Promise<ApprovedTokens> {
  const rows = await readTable(
    client,
    tokens,
    (token) => [
      protocolRead(contract, "approvedERC20", [token]),
      tokenTextRead(token, "symbol"),
      tokenTextRead(token, "name"),
      tokenDecimalsRead(token),
    ],
    block,
  );
  return {
    tokens: rows.map(({ key: token, results: [record, symbol, name, ownDecimals] }): ApprovedToken => {
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
    }),
  };
}
