import type { PrivateKeyAccount } from "viem/accounts";
import type { Clock } from "../clock";
import type { KeeperSettings } from "../config/parseSettings";
import type { ChainReport } from "../report/chainReport";
import { createSender } from "../send/createSender";
import { createTokenBook } from "./createTokenBook";
import type { KeeperChain } from "./keeperChain";
import { createLedger } from "./ledger";
import type { OpenChain } from "./openChain";

const POLL_MS = 500;
/** A transaction that was replaced so often without being mined is looked at again with the next plan. */
const GIVE_UP_FACTOR = 6;

export type KeeperChainOptions = {
  account: PrivateKeyAccount;
  clock: Clock;
  report: ChainReport;
  settings: { replaceAfterMs: number; notify: Pick<KeeperSettings["notify"], "gasDays"> };
  /** Default: half a second. */
  pollMs?: number;
};

/** Adds to an open chain what settling needs: a sender, accounts, reports. */
export function createKeeperChain(open: OpenChain, options: KeeperChainOptions): KeeperChain {
  const { account, clock, report, settings, pollMs = POLL_MS } = options;
  const { replaceAfterMs } = settings;
  const { node, chainId, contract } = open;
  const sender = createSender({
    ...{ node, account, chainId, contract, clock, pollMs },
    rules: { replaceAfterMs, giveUpAfterMs: GIVE_UP_FACTOR * replaceAfterMs },
    onSigned({ hash, fees }, nonce, isReplacement) {
      const text = `${isReplacement ? "replaces with" : "sends"} transaction ${hash}`;
      report.log("info", text, { transaction: hash, nonce, ...fees });
    },
  });
  return {
    ...{ ...open, sender, clock, report, warnDaysOfGas: settings.notify.gasDays },
    ...{ ledger: createLedger(), tokens: createTokenBook() },
    onPrice(token, fault) {
      if (fault === null) report.resolve(`price ${token}`, `the price of ${token} is back`);
      else report.raise(`price ${token}`, fault);
    },
  };
}
