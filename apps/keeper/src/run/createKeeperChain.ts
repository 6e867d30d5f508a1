import type { PrivateKeyAccount } from "viem/accounts";
import type { Clock } from "../clock";
import type { KeeperSettings } from "../config/parseSettings";
import type { ChainReport } from "../report/chainReport";
import { createSender } from "../send/createSender";
import { createLossBook, nonceName } from "./createLossBook";
import { createSuspension } from "./createSuspension";
import { createTokenBook } from "./createTokenBook";
import { effectsOf } from "./effectsOf";
import type { KeeperChain } from "./keeperChain";
import { createLedger } from "./ledger";
import type { OpenChain } from "./openChain";

/** A transaction that is not mined within this multiple of `replaceAfterMs` is judged again with the next plan. */
const GIVE_UP_FACTOR = 6;

export type KeeperChainOptions = {
  account: PrivateKeyAccount;
  clock: Clock;
  report: ChainReport;
  settings: { replaceAfterMs: number; notify: Pick<KeeperSettings["notify"], "gasDays"> };
};

/** Adds to an open chain what settling needs: a sender, accounting and reports. */
export function createKeeperChain(open: OpenChain, options: KeeperChainOptions): KeeperChain {
  const { account, clock, report, settings } = options;
  const { replaceAfterMs } = settings;
  const { node, chainId, contract } = open;
  const losses = createLossBook(clock);
  const sender = createSender({
    node,
    account,
    chainId,
    contract,
    clock,
    rules: { replaceAfterMs, giveUpAfterMs: GIVE_UP_FACTOR * replaceAfterMs },
    onResolved: (nonce) => losses.remove(nonceName(nonce)),
    onSigned({ hash, fees, gas }, nonce, isReplacement) {
      losses.note(nonceName(nonce), gas * fees.maxFeePerGas);
      const text = `${isReplacement ? "replaces with" : "sends"} transaction ${hash}`;
      report.log("info", text, { transaction: hash, nonce, ...fees });
    },
  });
  return {
    ...open,
    sender,
    clock,
    report,
    warnDaysOfGas: settings.notify.gasDays,
    ledger: createLedger((receipt) => effectsOf(receipt, open)),
    losses,
    suspension: createSuspension(clock),
    tokens: createTokenBook(),
    onPrice(token, fault) {
      if (fault === null) report.resolve(`price ${token}`, `the price of ${token} is back`);
      else report.raise(`price ${token}`, fault);
    },
  };
}
