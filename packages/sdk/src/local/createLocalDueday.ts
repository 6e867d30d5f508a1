import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createProviderEndpoints, type ProviderRequest } from "@dueday/chain/client/createProviderEndpoints";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createCoverageReader } from "@dueday/chain/walk/createCoverageReader";
import { chainDefaults, PLAN_CALLER } from "@dueday/core/chains";
import { type Address, type Chain, type Client, getAddress, type Transport } from "viem";
import type { DuedayMethods } from "../operationTypes";
import type { LocalChain } from "./localChain";
import type { LocalOperation } from "./localOperation";
import { localPrepares } from "./localPrepares";
import { localReads } from "./localReads";

/** Settings of {@link createLocalDueday}. */
export type LocalDuedayOptions = {
  /** Any client of viem: its transport decides about URLs, fail-over and batches. */
  client: Client<Transport, Chain | undefined>;
  /** Default: the chain of the client. */
  chainId?: number | undefined;
  /** The protocol's contract. Default: that of the chain `chainId`, where it is built in (Base, Base Sepolia). */
  contract?: Address | undefined;
  /** Tokens that `listApprovedTokens` looks up: approving one emits no event. Default: the built-in ones of the chain. */
  tokens?: readonly Address[] | undefined;
  /** Caller of plans whose input has no `from`. */
  planCaller?: Address | undefined;
};

/** What a node can answer without the service: the same names, inputs and answers as a client of `createDueday`. */
export type LocalDueday = Pick<DuedayMethods, LocalOperation>;

/** Milliseconds for one call of the node, over all retries of the client's transport. */
const CALL_TIMEOUT_MS = 60_000;

/**
 * The service's answers, computed against your own node: no service is asked, and none of its limits apply. History, search and what
 * a closed day has charged need an event index, so they are not here.
 *
 * @throws TypeError when the chain is not known, or its contract is neither built in nor given
 *
 * @example
 * const client = createPublicClient({ chain: base, transport: http("https://your.node") });
 * const dueday = createLocalDueday({ client });
 * const { plan, economics } = await dueday.getRemitReadiness({ from: keeper });
 */
export function createLocalDueday(options: LocalDuedayOptions): LocalDueday {
  const { client, planCaller = PLAN_CALLER } = options;
  const chainId = options.chainId ?? client.chain?.id;
  if (chainId === undefined) throw new TypeError("pass chainId: the client has no chain");
  const builtIn = chainDefaults[chainId];
  const { contract = builtIn?.contract, tokens = builtIn?.tokens ?? [] } = options;
  if (contract === undefined) throw new TypeError(`pass contract: it is not known for chain ${chainId}`);
  // viem's own type lists the methods it knows; the client passes any method on.
  const request = client.request as unknown as ProviderRequest;
  const endpoints = createProviderEndpoints({ chainId, request });
  const stateCache = createRemitStateCache(getAddress(contract));
  const chain: LocalChain = {
    chainId,
    name: builtIn?.name ?? client.chain?.name ?? `chain ${chainId}`,
    contract: getAddress(contract),
    tokens: tokens.map((token) => getAddress(token)),
    from: getAddress(planCaller),
    client: createChainClient({ endpoints, requestTimeoutMs: CALL_TIMEOUT_MS, callTimeoutMs: CALL_TIMEOUT_MS }),
    stateCache,
    coverage: createCoverageReader(stateCache),
    // Model and simulation are compared in the service's tests; where they differ the simulation is served, here too.
    onAlarm() {},
  };
  return { ...localReads(chain), ...localPrepares(chain) };
}
