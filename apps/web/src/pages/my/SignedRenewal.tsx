import { DuedayError } from "@dueday/sdk";
import { signPermit } from "@dueday/sdk/actions";
import { useDueday } from "@dueday/sdk/react";
import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Address } from "viem";
import { useConfig, useConnection, useConnectors } from "wagmi";
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
import type { Health } from "./health";
import classes from "./My.module.css";

export type SignedRenewalProps = {
  health: Health;
  /** A token whose approval is too low. */
  token: Address;
};

/** What is shown of a permit that the service keeps. */
type Kept = { id: string; value: string; deadline: string };

/** The fewest days between two charges of a plan. */
const FEWEST_DAYS = { WEEKLY: 7, MONTHLY: 28, QUARTERLY: 90, YEARLY: 365 } as const;

/**
 * Renews an approval by a signature alone (EIP-2612), for a wallet without ether. The service keeps what is signed until somebody with ether
 * submits it. It is shown only to the account itself; connecting, changing the chain and another account are up to the button before it.
 */
export function SignedRenewal({ health, token }: SignedRenewalProps) {
  const { account } = health;
  const { chain } = useInstallation();
  const { dueday, contract } = useDueday();
  const config = useConfig();
  const { address, chainId } = useConnection();
  const connectors = useConnectors();
  const signIn = useSignIn();
  const queryClient = useQueryClient();
  const allowance = health.tokens.find((each) => each.token === token);
  // A permit is void once the allowance has changed. Nobody but developers can list permits, so this page remembers its own.
  const queryKey = ["kept permit", account, token, allowance?.allowanceRaw];
  const { data: kept = null } = useQuery<Kept | null>({
    queryKey,
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const sign = useMutation({
    mutationFn: async () => {
      const wallet = await connectedWallet(config, chain.chainId, account);
      return signPermit(wallet, { dueday, contract, token, periods: periodsOf(health, token) });
    },
    onMutate: () => withdraw.reset(),
    onSuccess: ({ id, value, deadline }) => queryClient.setQueryData<Kept>(queryKey, { id, value, deadline }),
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
        // It was used, replaced or withdrawn elsewhere.
        if (!DuedayError.is(error, "NOT_FOUND")) throw error;
      }
    },
    onSuccess: () => queryClient.setQueryData<Kept | null>(queryKey, null),
  });

  const isReady =
    address === undefined
      ? connectors.length === 1
      : address.toLowerCase() === account.toLowerCase() && chainId === chain.chainId;
  if (!isReady) return null;
  const { symbol, money } = moneyOf({ subscription: { tokenSymbol: allowance?.symbol ?? "" } });
  if (kept !== null) {
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
            can submit it, such as a keeper or the seller. Nothing is guaranteed until then: a charge before it is
            submitted still fails.
          </p>
          <p>This page forgets it when it is loaded again; another signature replaces it.</p>
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
        <Button disabled={sign.isPending} onClick={() => sign.mutate()}>
          Renew by signature, without ether
        </Button>
        <span>for {symbol}</span>
      </p>
      {sign.isPending && <p role="status">Confirm the signature in your wallet. Nothing is sent.</p>}
      {sign.error !== null && <FailureNotice failure={describeFailure(sign.error)} />}
      {withdraw.isSuccess && (
        <p role="status">The service no longer keeps the renewal. Who has seen it can still submit it.</p>
      )}
    </Stack>
  );
}

/** Periods of the longest plan in the token that reach over the window: the first may end tomorrow. */
function periodsOf({ plans, days }: Health, token: Address): number {
  const lengths = plans.filter((plan) => plan.token === token).map((plan) => FEWEST_DAYS[plan.frequencyLabel]);
  return Math.ceil(days / Math.max(FEWEST_DAYS.WEEKLY, ...lengths)) + 1;
}
