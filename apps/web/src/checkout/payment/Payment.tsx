import type { Dueday } from "@dueday/sdk";
import { useEffect, useMemo } from "react";
import { type Address, createPublicClient, custom } from "viem";
import type { AppChain, AppConfig } from "../../config/appConfig";
import { Loading } from "../../states/Loading";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { shorten } from "../../ui/shorten";
import type { CheckoutResult } from "../sale/checkoutResult";
import { describeFailure } from "../sale/describeFailure";
import { PayButton } from "../sale/PayButton";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";
import { PayerState } from "./PayerState";
import classes from "./Payment.module.css";
import { PaymentStatus } from "./PaymentStatus";
import { SwitchChain } from "./SwitchChain";
import { TransactionLink } from "./TransactionLink";
import { useConnection } from "./useConnection";
import { useNetworkFee } from "./useNetworkFee";
import { usePayment } from "./usePayment";
import { WalletChoice } from "./WalletChoice";

export type PaymentProps = {
  dueday: Dueday;
  config: AppConfig;
  request: CheckoutRequest;
  checkout: Checkout;
  /** The answer for the present payer is not there yet. */
  isStale: boolean;
  /** Why the answer for the present payer did not come. */
  failure: Error | null;
  /** Nothing covers this part of the page, and it has been in view for a moment. */
  isReady: boolean;
  onAccount(account: Address | null): void;
  /** Asks for the checkout again, at `minBlock` or later. */
  onReload(minBlock?: bigint): void;
  onResult(result: CheckoutResult): void;
};

/** Keeps an amount and its symbol on one line. */
const NO_BREAK = "\u00a0";

/** The wallet's part of the checkout: the choice of a wallet, what prevents the payment, the signature, and the result. */
export function Payment(props: PaymentProps) {
  const { config, checkout, isStale, failure, isReady, onAccount, onResult } = props;
  const [connection, setConnection] = useConnection();
  const account = connection?.account ?? null;
  useEffect(() => onAccount(account), [account, onAccount]);
  const chain = config.chains.find(({ chainId }) => chainId === checkout.chainId);
  const provider = connection?.provider;
  const client = useMemo(
    () => (provider === undefined ? null : createPublicClient({ transport: custom(provider) })),
    [provider],
  );
  const fee = useNetworkFee(client, connection?.account, checkout);
  const payment = usePayment(props, { connection, chain, isSponsored: fee === "seller" });
  if (chain === undefined) throw new Error(`the service has no settings of chain ${checkout.chainId}`);
  const { progress } = payment;
  // First, because a wallet may lock itself while its transaction is mined.
  if (progress.step === "done")
    return <Done result={progress.result} checkout={checkout} chain={chain} onResult={onResult} />;
  if (connection === null) return <WalletChoice onConnect={setConnection} />;
  const isBusy = progress.step !== "idle" && progress.step !== "failed";
  const wallet = (
    <p className={classes.account}>
      {connection.name} <code title={connection.account}>{shorten(connection.account)}</code>
      <Button kind="plain" disabled={isBusy} onClick={() => setConnection(null)}>
        Change wallet
      </Button>
    </p>
  );
  if (connection.chainId !== chain.chainId) {
    return (
      <>
        <SwitchChain connection={connection} chain={chain} />
        {wallet}
      </>
    );
  }
  const { payer } = checkout;
  if (failure !== null && !isBusy) return <NotChecked failure={failure} onCheck={() => props.onReload()} />;
  if (payer === null || (isStale && !isBusy)) return <Loading label="your wallet" lines={3} />;
  const isMember = payer.standing === "active";
  return (
    <>
      {!isBusy && (
        <PayerState
          checkout={checkout}
          payer={payer}
          chainName={chain.name}
          fee={fee}
          onCheck={() => props.onReload()}
        />
      )}
      {(!isMember || props.request.proof) && (
        <PayButton
          disabled={!isReady || isBusy || (!isMember && !payer.ready)}
          onClick={() => void (isMember ? payment.prove() : payment.pay())}
        >
          {isMember
            ? "Confirm to the seller that this is you"
            : `Pay ${payment.today.replaceAll(" ", NO_BREAK)} and subscribe`}
        </PayButton>
      )}
      {isMember && !props.request.proof && checkout.returnUrl !== null && (
        <PayButton onClick={() => onResult(payment.memberResult(payer.account))}>Back to the seller</PayButton>
      )}
      <PaymentStatus progress={progress} />
      {wallet}
    </>
  );
}

/** Shown in place of the button where the service could not check the payer: nothing is signed on an outdated answer. */
function NotChecked({ failure, onCheck }: { failure: Error; onCheck(): void }) {
  return (
    <Notice
      tone="bad"
      title="Your wallet can't be checked now"
      action={<Button onClick={onCheck}>Check again</Button>}
      urgent
    >
      <p>{describeFailure(failure)} Nothing is charged meanwhile.</p>
    </Notice>
  );
}

function Done({
  result,
  checkout,
  chain,
  onResult,
}: {
  result: CheckoutResult;
  checkout: Checkout;
  chain: AppChain;
  onResult: PaymentProps["onResult"];
}) {
  // Delivers the result once, as soon as it is shown. The button is for a browser that has not left the page.
  useEffect(() => onResult(result), [result]);
  const { status, transaction, account } = result;
  return (
    <>
      <Notice tone="good" title={status === "subscribed" ? "You are subscribed" : "You already pay this plan"}>
        <p>
          {checkout.returnUrl === null
            ? "The seller can see it on the chain. You can close this page."
            : "The seller can see it on the chain."}
        </p>
        <p className={classes.links}>
          {transaction !== null && <TransactionLink chain={chain} hash={transaction} />}
          <a href={`/app/my?account=${account}&chainId=${chain.chainId}`} target="_blank" rel="noopener">
            What this wallet pays
          </a>
        </p>
      </Notice>
      {checkout.returnUrl !== null && <PayButton onClick={() => onResult(result)}>Back to the seller</PayButton>}
    </>
  );
}
