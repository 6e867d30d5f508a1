import type { Dueday } from "@dueday/sdk";
import { useEffect } from "react";
import type { AppConfig } from "../../config/appConfig";
import { Loading } from "../../states/Loading";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { shorten } from "../../ui/shorten";
import type { CheckoutResult } from "../sale/checkoutResult";
import { PayButton } from "../sale/PayButton";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";
import { PayerState } from "./PayerState";
import classes from "./Payment.module.css";
import { PaymentStatus } from "./PaymentStatus";
import { SwitchChain } from "./SwitchChain";
import { useConnection } from "./useConnection";
import { usePayment } from "./usePayment";
import { WalletChoice } from "./WalletChoice";

export type PaymentProps = {
  dueday: Dueday;
  config: AppConfig;
  request: CheckoutRequest;
  checkout: Checkout;
  /** The answer for the present payer is on its way. */
  isStale: boolean;
  /** Nothing covers the page, and it has been in view for a moment. */
  isReady: boolean;
  onAccount(account: string | null): void;
  onReload(): void;
  onResult(result: CheckoutResult): void;
};

/** The wallet's part of the checkout: its choice, what stands in its way, the signature, and the result. */
export function Payment(props: PaymentProps) {
  const { config, checkout, isStale, isReady, onAccount, onResult } = props;
  const [connection, setConnection] = useConnection();
  const account = connection?.account ?? null;
  useEffect(() => onAccount(account), [account, onAccount]);
  const chain = config.chains.find(({ chainId }) => chainId === checkout.chainId);
  const payment = usePayment(props, { connection, chain });
  if (chain === undefined) throw new Error(`the service has no settings of chain ${checkout.chainId}`);
  if (connection === null) return <WalletChoice onConnect={setConnection} />;
  const { payer } = checkout;
  if (connection.chainId !== chain.chainId) return <SwitchChain connection={connection} chain={chain} />;
  const { progress } = payment;
  if (progress.step === "done") return <Done result={progress.result} checkout={checkout} onResult={onResult} />;
  const isBusy = progress.step !== "idle" && progress.step !== "failed";
  if (payer === null || (isStale && !isBusy)) return <Loading label="your wallet" lines={3} />;
  const isMember = payer.standing === "active";
  return (
    <>
      <PayerState checkout={checkout} connection={connection} isBusy={isBusy} />
      {(!isMember || props.request.proof) && (
        <PayButton
          disabled={!isReady || isBusy || (!isMember && !payer.ready)}
          onClick={() => void (isMember ? payment.prove() : payment.pay())}
        >
          {isMember ? "Confirm to the seller that this is you" : `Pay ${payment.today} and subscribe`}
        </PayButton>
      )}
      {isMember && !props.request.proof && checkout.returnUrl !== null && (
        <PayButton onClick={() => onResult(payment.memberResult(payer.account))}>Back to the seller</PayButton>
      )}
      <PaymentStatus progress={progress} />
      <p className={classes.account}>
        {connection.name} <code title={connection.account}>{shorten(connection.account)}</code>
        <Button kind="plain" disabled={isBusy} onClick={() => setConnection(null)}>
          Use another wallet
        </Button>
      </p>
    </>
  );
}

function Done({
  result,
  checkout,
  onResult,
}: {
  result: CheckoutResult;
  checkout: Checkout;
  onResult: PaymentProps["onResult"];
}) {
  // Once, as soon as it is shown; the button is for a browser that stays.
  useEffect(() => onResult(result), [result]);
  return (
    <>
      <Notice tone="good" title={result.status === "subscribed" ? "You are subscribed" : "You already pay this plan"}>
        <p>The seller knows by the chain. You can close this page.</p>
      </Notice>
      {checkout.returnUrl !== null && <PayButton onClick={() => onResult(result)}>Back to the seller</PayButton>}
    </>
  );
}
