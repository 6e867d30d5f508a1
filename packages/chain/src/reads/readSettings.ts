import type { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import type { ProtocolState } from "@dueday/core/snapshots/protocolState";
import type { ChainClient } from "../client/createChainClient";
import { approvedTokenReads, presentApprovedToken, type ReadApprovedTokensParameters } from "./readApprovedTokens";
import { readGroups } from "./readGroups";
import { presentProtocolState, protocolStateReads } from "./readProtocolState";

/**
 * What `readProtocolState` and `readApprovedTokens` return, read together: one call instead of two where the chain has Multicall3 and
 * at most eleven tokens. Throws ServiceError UPSTREAM_* as they do.
 */
export async function readSettings(
  client: ChainClient,
  { contract, tokens, block }: ReadApprovedTokensParameters,
): Promise<{ protocol: ProtocolState; approved: ApprovedTokens }> {
  const [state, ...records] = await readGroups(
    client,
    [protocolStateReads(contract), ...tokens.map((token) => approvedTokenReads(contract, token))],
    block,
  );
  return {
    protocol: presentProtocolState(state, { contract, block }),
    approved: {
      tokens: tokens.flatMap((token, index) => {
        const record = records[index];
        return record === undefined ? [] : [presentApprovedToken(token, record)];
      }),
    },
  };
}
