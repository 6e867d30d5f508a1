import { DuedayError, type Operations } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Address } from "viem";
import { useConfig } from "wagmi";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { useInstallation } from "../../config/ChainContext";
import { formatTime } from "../../format/formatDate";
import { useSignIn } from "../../portal/useSignIn";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { Stack } from "../../ui/Stack";
import { connectedWallet } from "../../wallet/connectedWallet";
import { describeFailure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import { loadActions } from "../../wallet/loadActions";
import type { Health } from "./health";
import classes from "./My.module.css";

/** A permit that the service keeps. */
type KeptPermit = Operations["listAccountPermits"]["output"]["permits"][number];

export type SignedRenewalProps = {
  health: Health;
  /** A token whose approval is too low, or for which a permit is kept. */
  token: Address;
  /** Undefined where the service keeps no permit; null until that is known. */
  kept: KeptPermit | undefined | null;
};

/** The fewest days between two charges of a plan. */
const FEWEST_DAYS = { WEEKLY: 7, MONTHLY: 28, QUARTERLY: 90, YEARLY: 365 } as const;

/**
 * Renews an approval by a signature alone (EIP-2612), for a wallet without ether. The service keeps the signed permit until an account
 * with ether submits it, or until it expires.
 */
export function SignedRenewal({ health, token, kept }: SignedRenewalProps) {
  const { account } = health;
  const { chain } = useInstallation();
  const { dueday, contract } = useDueday();
  const config = useConfig();
  const signIn = useSignIn();
  const queryClient = useQueryClient();
  const allowance = health.tokens.find((each) => each.token === token);
  const renew = () => renewQueries(queryClient, ["listAccountPermits"]);
  const sign = useMutation({
    mutationFn: async () => {
      const [wallet, { signPermit }] = await Promise.all([
        connectedWallet(config, chain.chainId, account),
        loadActions(),
      ]);
      return signPermit(wallet, { dueday, contract, token, periods: periodsOf(health, token) });
    },
    onMutate: () => withdraw.reset(),
    onSuccess: renew,
  });
  const withdraw = useMutation({
    mutationFn: async (permitId: string) => {
      const end = () => dueday.withdrawPermit({ permitId });
      try {
        await end().catch(async (error: unknown) => {
          if (!DuedayError.is(error, "UNAUTHORIZED")) throw error;
          await connectedWallet(config, chain.chainId, account);
          await signIn(account);
          await end();
        });
      } catch (error) {
        // The permit was already used, replaced or withdrawn.
        if (!DuedayError.is(error, "NOT_FOUND")) throw error;
      }
    },
    onSuccess: renew,
  });

  const { symbol, money } = moneyOf({ subscription: { tokenSymbol: allowance?.symbol ?? "" } });
  if (kept) {
    return (
      <Stack>
        <Notice
          tone="neutral"
          title={`Signed: a renewal of ${symbol} waits to be submitted`}
          action={
            <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate(kept.id)}>
              Withdraw it
            </Button>
          }
        >
          <p>
            It sets the approval to {money(kept.value)}. Until {formatTime(Number(kept.deadline))} anybody with ether
            can submit it, such as a keeper or the seller. Nothing is guaranteed: a charge before it is submitted still
            fails.
          </p>
          <p>Another signature replaces it. Everybody can see that it is here, and submit it.</p>
        </Notice>
        {withdraw.error !== null && <FailureNotice failure={describeFailure(withdraw.error)} />}
      </Stack>
    );
  }
  if (DuedayError.is(sign.error, "PERMIT_UNSUPPORTED"))
    return <p role="status">{symbol} can't be renewed by a signature.</p>;
  return (
    <Stack>
      <p className={classes.buttons}>
        <Button disabled={sign.isPending || kept === null} onClick={() => sign.mutate()}>
          Renew by signature, without ether
        </Button>
        <span>for {symbol}</span>
      </p>
      {sign.isPending && <p role="status">Confirm the signature in your wallet. Nothing is sent.</p>}
      {sign.error !== null && <FailureNotice failure={describeFailure(sign.error)} />}
      {withdraw.isSuccess && (
        <p role="status">The service no longer keeps the renewal. Anybody who has seen it can still submit it.</p>
      )}
    </Stack>
  );
}

/** Number of periods of the token's longest plan that cover the window of `days`. One more is added, because the first may end tomorrow. */
function periodsOf({ plans, days }: Health, token: Address): number {
  const lengths = plans.filter((plan) => plan.token === token).map((plan) => FEWEST_DAYS[plan.frequencyLabel]);
  return Math.ceil(days / Math.max(FEWEST_DAYS.WEEKLY, ...lengths)) + 1;
}
