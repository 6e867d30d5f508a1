import type { ProtocolState } from "@dueday/core/snapshots/protocolState";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** The protocol's own figures at a block. */
export async function readProtocolState(
  _client: ChainClient,
  _parameters: { contract: Address; block: ChainBlock },
): Promise<ProtocolState> {
  throw new Error("not built yet");
}
