import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { FREQUENCIES, frequencyLabel } from "@dueday/core/calendar/frequency";
import { ServiceError } from "@dueday/core/errors";
import { pageFacts } from "@dueday/core/paging";
import type { AtRiskView } from "@dueday/core/schemas/atRisk";
import { atRiskDays } from "@dueday/core/walk/coverage";
import { listPlansAtRisk } from "@dueday/core/walk/listPlansAtRisk";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { CoverageReader } from "../walk/createCoverageReader";
import { presentCoverage } from "../walk/presentCoverage";

export type ReadAtRiskParameters = {
  contract: Address;
  provider: Address;
  first: number;
  skip: number;
  coverage: CoverageReader;
  block: ChainBlock;
};

/**
 * A page of a provider's subscribers of whom a charge fails within one whole period of the plan, the next failure first. An account that
 * never created a subscription has none. Throws ServiceError UPSTREAM_*, also where the node can't read the contract's whole state, or not in time.
 */
export async function readAtRisk(
  client: ChainClient,
  { contract, provider, first, skip, coverage, block }: ReadAtRiskParameters,
): Promise<AtRiskView> {
  const walk = await coverage.read(client, block);
  if (walk === null) throw unreadable();
  const all = await listPlansAtRisk(walk, provider);
  const page = all.slice(skip, skip + first);
  const infos = await readTokenInfos(client, {
    contract,
    tokens: page.map(({ subscription: { token } }) => token),
    block,
  });
  return {
    provider,
    horizons: FREQUENCIES.map((frequency) => ({
      frequencyLabel: frequencyLabel(frequency),
      horizonDays: atRiskDays(frequency),
    })),
    atRisk: page.map(({ subscription: { id, token, amount, frequency }, subscriber, coverage: plan }) => {
      const { symbol, decimals } = expectToken(infos, token);
      return {
        id,
        subscriber,
        token,
        tokenSymbol: symbol,
        ...amountFields(toTokenUnits(amount, decimals), decimals),
        frequencyLabel: frequencyLabel(frequency),
        ...presentCoverage(plan),
      };
    }),
    ...pageFacts({ count: all.length, skip, shown: page.length }),
  };
}

function unreadable(): ServiceError {
  const message =
    "The chain's node did not give the state of the whole contract in time, so subscribers at risk can't be listed. Try again in some seconds. If " +
    "that fails too, read the subscribers of each subscription instead, which have atRisk too";
  return new ServiceError("UPSTREAM_ERROR", message);
}
