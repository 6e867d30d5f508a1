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
  /** The account that it is about: with another one selected, the wallet is not asked. By default every account may be selected. */
  account?: string;
  /** One of the wallet's actions, or another one of the SDK with the wallet; `progress` goes into its parameters. */
  sign(
    actions: DuedayActions,
    progress: { onChecked(transactions: readonly CheckedTransaction[]): void; onSent(id: string): void },
    wallet: WalletClient,
  ): Promise<R>;
  /** A read that the index answers, of this block or a later one: it shows that the service has seen the result. */
  confirm(dueday: Dueday, options: { minBlock: bigint }, result: R): Promise<unknown>;
};

/**
 * Has the connected wallet do something, and follows it: prepared and checked, signed, mined, and shown by the page without a reload.
 * `run` resolves with the result, or with null where it failed; `progress` has the reason. Below a `lazyWallet`.
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
      try {
        const [wallet, { duedayActions }] = await Promise.all([
          connectedWallet(config, chainId, account),
          loadActions(),
        ]);
        const followed = {
          onChecked: (transactions: readonly CheckedTransaction[]) =>
            setProgress({ step: "signing", transactions, sent: [] }),
          onSent: (id: string) =>
            setProgress((before) => (before.step === "signing" ? { ...before, sent: [...before.sent, id] } : before)),
        };
        const result = await sign(duedayActions({ dueday, contract })(wallet), followed, wallet);
        const hashes = result.receipts.map(({ transactionHash }) => transactionHash);
        const block = result.receipts.at(-1)?.blockNumber ?? 0n;
        setProgress({ step: "mined", hashes, block });
        floor.raise(block);
        const isBehind = await confirm(dueday, { minBlock: block }, result).then(
          () => false,
          // It is mined whatever the service answers: the events renew the page when the service has caught up.
          () => true,
        );
        await renewQueries(queryClient);
        setProgress({ step: "done", hashes, block, isBehind });
        return result;
      } catch (error) {
        setProgress({ step: "failed", failure: describeFailure(error) });
        return null;
      }
    },
    [config, chainId, dueday, contract, queryClient, floor],
  );
  return { progress, run, isBusy: isBusy(progress) };
}
