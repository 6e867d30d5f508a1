import { type Address, type Hex, zeroAddress } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { expectQuantity } from "../../client/expectQuantity";
import { isWord } from "../../client/fitsMethod";
import { isAccount } from "../../client/isAccount";
import { isExecutionFailure, isRecord } from "../../client/parseRpcAnswer";
import { readOnce } from "../../client/readOnce";
import { RpcRefusal } from "../../client/rpcOutcome";
import { upstreamError } from "../../client/upstreamError";
import { repeatCall } from "../../simulate/repeatCall";

/** The slots of a contract's own storage that a call accesses, and its gas. */
export type AccessedSlots = { slots: ReadonlySet<bigint>; gasUsed: bigint };

export type ReadAccessedSlotsParameters = {
  contract: Address;
  data: Hex;
  from?: Address;
  block: ChainBlock;
  /** The slots that matter: others may be missing in the result. */
  candidates: readonly bigint[];
};

/** An account without code, for a view that anyone may call. */
const NOBODY: Address = "0x00000000000000000000000000000000000d0e02";
const MEASURED_GAS = 5_000_000n;
/** Slots that are tried together; those of a group with an accessed slot are then tried alone. */
const GROUP = 16;

/**
 * Reads which storage slots a call reads or writes, so that private variables are found without knowing the contract's layout: by
 * eth_createAccessList, or, on nodes without it, by measuring the call with the candidates in its access list, which makes those that
 * it accesses cheaper. Null where the call reverts, or the node has neither that method nor state overrides.
 */
export async function readAccessedSlots(
  client: ChainClient,
  parameters: ReadAccessedSlotsParameters,
): Promise<AccessedSlots | null> {
  const { contract, data, from, block } = parameters;
  if (!(await createsAccessLists(client, block))) return measureAccessedSlots(client, parameters);
  const answer = await createAccessList(client, { to: contract, data, ...(from && { from }) }, block).catch(
    (error: unknown) => {
      if (!(error instanceof RpcRefusal)) throw error;
      if (!isExecutionFailure(error)) throw upstreamError({ kind: "node_error" }, "eth_createAccessList");
      return null;
    },
  );
  if (answer === null) return null;
  const malformed = () => upstreamError({ kind: "malformed" }, "eth_createAccessList");
  if (!isRecord(answer) || !Array.isArray(answer.accessList)) throw malformed();
  if (answer.error !== undefined) return null;
  const gasUsed = expectQuantity(answer.gasUsed, "eth_createAccessList");
  const slots = new Set<bigint>();
  for (const entry of answer.accessList) {
    if (!isRecord(entry) || !isAccount(entry.address) || !Array.isArray(entry.storageKeys)) throw malformed();
    if (!entry.storageKeys.every(isWord)) throw malformed();
    if (entry.address.toLowerCase() === contract.toLowerCase())
      for (const key of entry.storageKeys) slots.add(BigInt(key));
  }
  return { slots, gasUsed };
}

function createsAccessLists(client: ChainClient, block: ChainBlock): Promise<boolean> {
  return readOnce(client, "eth_createAccessList", async () => {
    try {
      await createAccessList(client, { to: zeroAddress, data: "0x" }, block);
      return true;
    } catch (error) {
      if (error instanceof RpcRefusal) return false;
      throw error;
    }
  });
}

async function createAccessList(
  client: ChainClient,
  call: { to: Address; data: Hex; from?: Address },
  block: ChainBlock,
): Promise<unknown> {
  return client.rpc("eth_createAccessList", [call, blockReference(block)]);
}

async function measureAccessedSlots(
  client: ChainClient,
  { contract, data, from = NOBODY, block, candidates }: ReadAccessedSlotsParameters,
): Promise<AccessedSlots | null> {
  const gasWith = async (warmSlots: readonly bigint[]): Promise<bigint | null> => {
    const call = { from, to: contract, data, count: 1, gas: MEASURED_GAS, block, warmSlots };
    const [measured] = (await repeatCall(client, call)) ?? [];
    return measured?.success === true ? measured.gasUsed : null;
  };
  const gasUsed = await gasWith([]);
  if (gasUsed === null) return null;
  const isAccessed = async (slots: readonly bigint[]) => {
    const gasWithSlots = await gasWith(slots);
    // The node has just measured the same call.
    if (gasWithSlots === null) throw upstreamError({ kind: "node_error" }, "eth_call");
    return gasWithSlots < gasUsed;
  };
  const groups = Array.from({ length: Math.ceil(candidates.length / GROUP) }, (_, index) =>
    candidates.slice(index * GROUP, (index + 1) * GROUP),
  );
  const members = (await filterAsync(groups, isAccessed)).flat();
  return { slots: new Set(await filterAsync(members, (slot) => isAccessed([slot]))), gasUsed };
}

async function filterAsync<T>(values: readonly T[], keep: (value: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(values.map(keep));
  return values.filter((_, index) => kept[index]);
}
