import { type Address, type ContractEventName, type DecodeEventLogReturnType, decodeEventLog, type Hex } from "viem";
import { erc20Abi } from "../abi/erc20";
import { protocolAbi } from "../abi/protocol";

/** A log as every node answers it, in a receipt or a simulation. */
export type RawLog = { address: Address; topics: readonly Hex[]; data: Hex };

export type ProtocolEvent = DecodeEventLogReturnType<typeof protocolAbi, ContractEventName<typeof protocolAbi>>;
export type TokenEvent = DecodeEventLogReturnType<typeof erc20Abi, ContractEventName<typeof erc20Abi>>;

/** Decodes one of the protocol's six events. Null for a log that is none of them. The log's address is the caller's to check. */
export function decodeProtocolEvent(log: RawLog): ProtocolEvent | null {
  return orNull((topics) => decodeEventLog({ abi: protocolAbi, topics, data: log.data }), log);
}

/** Decodes an ERC-20 Transfer or Approval. Null for a log that is neither, or is shaped otherwise (ERC-721 indexes the id). */
export function decodeTokenEvent(log: RawLog): TokenEvent | null {
  return orNull((topics) => decodeEventLog({ abi: erc20Abi, topics, data: log.data }), log);
}

function orNull<T>(decode: (topics: [Hex, ...Hex[]]) => T, log: RawLog): T | null {
  const [signature, ...rest] = log.topics;
  if (signature === undefined) return null;
  try {
    return decode([signature, ...rest]);
  } catch {
    // viem throws for any log that does not fit the ABI; to the caller that is a plain "not one of ours".
    return null;
  }
}
