import type { Dueday } from "@dueday/sdk";
import type { ActionResult, CheckedTransaction, DuedayActions, WalletClient } from "@dueday/sdk/actions";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useConfig } from "wagmi";
import { useBlockFloor } from "../config/BlockFloorContext";
import { useInstallation } from "../config/ChainContext";
import { type ActionProgress, isBusy } from "./actionProgress";
import { connectedWallet } from "./connectedWallet";
import { describeFailure } from "./describeFailure";
import { loadActions } from "./loadActions";

export type WalletAction<R extends ActionResult> = {
  /** The account that has to sign. With another one selected, the wallet is not asked. By default any account may be selected. */
  account?: string;
  /** Calls one of `actions`, or another function of the SDK with `wallet`. `progress` is passed on in its parameters. */
  sign(
    actions: DuedayActions,
    progress: {
      onChecked(transactions: readonly CheckedTransaction[]): void;
      onSent(id: string, sent: { isBatch: boolean }): void;
    },
    wallet: WalletClient,
  ): Promise<R>;
  /** A read that the index answers, of this block or a later one: it shows that the service has seen the result. */
  confirm(dueday: Dueday, options: { minBlock: bigint }, result: R): Promise<unknown>;
};

/**
 * Runs an action with the connected wallet, and follows it: prepared and checked, signed, mined, and shown by the page without a reload.
 * `run` resolves with the result, or with null where it failed; `progress` has the reason. Usable only inside a `WalletArea`, which `lazyWallet` adds.
 */
export function useWalletAction() {
  const { dueday, contract } = useDueday();
  const { chainId } = useInstallation().chain;
  const config = useConfig();
  const queryClient = useQueryClient();
  const floor = useBlockFloor();
  const [progress, setProgress] = useState<ActionProgress>({ step: "idle" });

  const run = useCallback(
    async <R extends ActionResult>({ account, sign, confirm }: WalletAction<R>): Promise<R | null> => {
      setProgress({ step: "preparing" });
      let wasSent = false;
      try {
        const [wallet, { duedayActions }] = await Promise.all([
          connectedWallet(config, chainId, account),
          loadActions(),
        ]);
        const followed = {
          onChecked: (transactions: readonly CheckedTransaction[]) =>
            setProgress({ step: "signing", count: transactions.length, sent: 0 }),
          onSent: (_id: string, { isBatch }: { isBatch: boolean }) => {
            wasSent = true;
            setProgress((before) =>
              before.step === "signing" ? { ...before, sent: isBatch ? before.count : before.sent + 1 } : before,
            );
          },
        };
        const result = await sign(duedayActions({ dueday, contract })(wallet), followed, wallet);
        const hashes = result.receipts.map(({ transactionHash }) => transactionHash);
        const block = result.receipts.at(-1)?.blockNumber ?? 0n;
        setProgress({ step: "mined", hashes, block });
        floor.raise(block);
        const isBehind = await confirm(dueday, { minBlock: block }, result).then(
          () => false,
          // The transaction is mined in any case: events renew the page when the service has indexed it.
          () => true,
        );
        await renewQueries(queryClient);
        setProgress({ step: "done", hashes, block, isBehind });
        return result;
      } catch (error) {
        setProgress({ step: "failed", failure: describeFailure(error) });
        // The first transactions of an action may have been mined, such as the approval before a subscribe().
        if (wasSent) await renewQueries(queryClient);
        return null;
      }
    },
    [config, chainId, dueday, contract, queryClient, floor],
  );
  return { progress, run, isBusy: isBusy(progress) };
}
