import type { Address } from "viem";
import type { Clock } from "../clock";
import type { Rules } from "../decide/decide";
import type { KeeperNode } from "../node/keeperNode";
import type { PermitDesk } from "../permits/permitDesk";
import type { PlanSource } from "../plan/planSource";
import type { PriceSource } from "../prices/priceSource";
import type { ChainReport } from "../report/chainReport";
import type { Sender } from "../send/createSender";
import type { LossBook } from "./createLossBook";
import type { Suspension } from "./createSuspension";
import type { TokenBook } from "./createTokenBook";
import type { Ledger } from "./ledger";

/** Everything that settling on one chain needs. */
export type KeeperChain = {
  chainId: number;
  contract: Address;
  /** The keeper's address. */
  from: Address;
  node: KeeperNode;
  source: PlanSource;
  sender: Sender;
  ledger: Ledger;
  losses: LossBook;
  suspension: Suspension;
  tokens: TokenBook;
  rules: Rules;
  /** Null where permits are not known: without an API, or without a key for it. */
  permits: PermitDesk | null;
  priceSources: ReadonlyMap<Address, PriceSource>;
  /** The operator is warned when the balance lasts for fewer days. */
  warnDaysOfGas: number;
  /** Called for each token that has a source of prices, with the reason why it has no price now, or null. */
  onPrice(token: Address, fault: string | null): void;
  clock: Clock;
  report: ChainReport;
};
