import { defaultTxGasCap, PLAN_CALLER } from "@dueday/core/chains";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { PrivateKeyAccount } from "viem/accounts";
import type { LoadedSettings } from "../config/loadSettings";
import type { ChainSettings, KeeperSettings } from "../config/parseSettings";
import { type DecisionInput, decide } from "../decide/decide";
import { type ExitCode, exitCode } from "../keeperError";
import { decisionTable } from "../plan/decisionTable";
import { permitsTable, type SentPermitGas } from "../plan/permitsTable";
import { plannedRemits, planState } from "../plan/plannedRemits";
import { apiPlanSource } from "../plan/planSource";
import { readPrices } from "../prices/readPrices";
import { choosePermits } from "./choosePermits";
import { decisionInput } from "./decisionInput";
import { type OpenChain, openChain } from "./openChain";

/** More than any plan costs: without a key there is no balance to judge. */
const UNLIMITED_WEI = 2n ** 128n;

/** Prints the plan of each chain with fees, costs and the decision. Nothing is signed. */
export async function dryRun({ settings, account }: LoadedSettings, print: (text: string) => void): Promise<ExitCode> {
  for (const chain of settings.chains) {
    if (chain.chainId !== null) print(`chain ${chain.chainId}`);
    print(await (chain.rpcUrls.length === 0 ? onApi(settings, chain, account) : onNode(settings, chain, account)));
  }
  return exitCode.DONE;
}

async function onNode(
  settings: KeeperSettings,
  chain: ChainSettings,
  account: PrivateKeyAccount | null,
): Promise<string> {
  const opened = await openChain(chain, settings, account?.address ?? PLAN_CALLER);
  const { readiness } = await opened.source.read(null);
  const facts = { plan: planState(readiness), remits: plannedRemits(readiness), earnedWei: 0n, lostWei: 0n };
  const faults: string[] = [];
  const input = await decisionInput({ ...opened, onPrice: (_, fault) => void (fault && faults.push(fault)) }, facts);
  const balanceWei = account === null ? UNLIMITED_WEI : input.balanceWei;
  const permits = permitsTable(readiness, account === null ? null : await permitsToSend(opened, readiness));
  return [...permits, show(readiness, { ...input, balanceWei }), ...faults].join("\n");
}

/** Null without an API key, and where no node can simulate the plan. */
async function permitsToSend(opened: OpenChain, readiness: RemitReadiness): Promise<SentPermitGas> {
  if (opened.permits === null) return null;
  const chosen = await choosePermits({ ...opened, onPrice() {} }, opened.permits, readiness, 0n);
  return chosen && new Map(chosen.permits.map(({ permit }, index) => [permit.id, chosen.gas[index] ?? 0n]));
}

/** With an API alone, costs are those of its plan, and prices can't come from feeds. */
async function onApi(
  { api }: KeeperSettings,
  chain: ChainSettings,
  account: PrivateKeyAccount | null,
): Promise<string> {
  if (api === null) throw new Error("parseSettings requires a node for plans without an API");
  const { chainId, minProfitWei, maxGasPrice, maxLossWei } = chain;
  const source = apiPlanSource({ ...api, chainId, from: account?.address ?? null });
  const { readiness } = await source.read(null);
  const remits = plannedRemits(readiness);
  const decimals = new Map(readiness.economics.callerFees.map(({ token, tokenDecimals }) => [token, tokenDecimals]));
  const read = await readPrices(chain.prices, {
    chain: { decimals: async (token) => decimals.get(token) ?? 0, feed: async () => null },
    tokens: [...new Set(remits.flatMap(({ fees }) => fees.map(({ token }) => token)))],
    chainTime: 0,
  });
  const decision = show(readiness, {
    plan: planState(readiness),
    remits,
    prices: read.prices,
    market: marketOf(readiness),
    rules: { minProfitWei, maxGasPrice, maxLossWei, gasCap: chainId === null ? null : defaultTxGasCap(chainId) },
    balanceWei: UNLIMITED_WEI,
    earnedWei: 0n,
    lostWei: 0n,
  });
  return [...permitsTable(readiness, null), decision].join("\n");
}

function show(readiness: RemitReadiness, input: DecisionInput): string {
  return decisionTable(readiness, decide(input), input.market.baseFee + input.market.tip);
}

/** What gas costs by the plan's own estimate. */
function marketOf({ economics, expectedTransactions }: RemitReadiness): DecisionInput["market"] {
  const [gas, costWei] = [BigInt(economics.gasUsed), BigInt(economics.estimatedCostWei)];
  const rollupWei = BigInt(economics.l1FeeWei ?? 0) + BigInt(economics.operatorFeeWei ?? 0);
  const l1FeeWei = expectedTransactions === 0 ? 0n : rollupWei / BigInt(expectedTransactions);
  const baseFee = gas === 0n ? 0n : (costWei - rollupWei) / gas;
  return { baseFee, tip: 0n, maxFee: baseFee, rollupFees: { l1FeeWei, operatorFee: null } };
}
