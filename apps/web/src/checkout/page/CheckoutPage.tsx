import { createDueday, DuedayError } from "@dueday/sdk";
import { lazy, Suspense, useState } from "react";
import { Loading } from "../../states/Loading";
import { describeFailure } from "../sale/describeFailure";
import { PayButton } from "../sale/PayButton";
import type { CheckoutRequest } from "../sale/readRequest";
import { useCheckout } from "../sale/useCheckout";
import classes from "./CheckoutPage.module.css";
import { Conditions } from "./Conditions";
import { deliverResult } from "./deliverResult";
import { Stopped } from "./Stopped";
import { Terms } from "./Terms";
import { useAnnounced } from "./useAnnounced";
import { useClickGuard } from "./useClickGuard";

const Payment = lazy(() => import("../payment/Payment").then((module) => ({ default: module.Payment })));

/** The page at which a plan is bought: what it costs now and later, and one button. A click on the button loads the wallet code. */
export function CheckoutPage({ request }: { request: CheckoutRequest }) {
  const [dueday] = useState(() =>
    createDueday({ baseUrl: location.origin, ...(request.chainId !== null && { chainId: request.chainId }) }),
  );
  const [account, setAccount] = useState<`0x${string}` | null>(null);
  const [isPaying, setPaying] = useState(false);
  const { state, reload } = useCheckout(dueday, request, account);
  const { element, isReady } = useClickGuard<HTMLDivElement>();
  useAnnounced(state.status === "shown" ? state.checkout : null, request);

  if (state.status === "loading") {
    return (
      <main className={classes.page}>
        <h1 className={classes.hidden}>Checkout</h1>
        <section className={classes.card}>
          <Loading label="the plan" lines={8} />
        </section>
      </main>
    );
  }
  if (state.status === "failed") return <Failed error={state.error} onRetry={reload} />;
  const { checkout, config, isStale, failure } = state;
  return (
    <main className={classes.page}>
      <section className={classes.card} aria-labelledby="plan">
        <Terms checkout={checkout} />
        <div ref={element} className={classes.payment}>
          {isPaying ? (
            <Suspense fallback={<Loading label="wallets" lines={2} />}>
              <Payment
                dueday={dueday}
                config={config}
                request={request}
                checkout={checkout}
                isStale={isStale}
                failure={failure}
                isReady={isReady}
                onAccount={setAccount}
                onReload={reload}
                onResult={(result) => deliverResult(result, { request, checkout })}
              />
            </Suspense>
          ) : (
            checkout.closed === null && (
              <PayButton disabled={!isReady} onClick={() => setPaying(true)}>
                Choose a wallet
              </PayButton>
            )
          )}
        </div>
        {checkout.closed === null && <Conditions checkout={checkout} />}
      </section>
      {checkout.supportUrl !== null && (
        <p className={classes.support}>
          <a href={checkout.supportUrl} target="_blank" rel="noreferrer noopener">
            Ask the seller
          </a>
        </p>
      )}
    </main>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry(): void }) {
  if (DuedayError.is(error, "NOT_FOUND") || DuedayError.is(error, "VALIDATION_ERROR")) {
    return (
      <Stopped
        title="This plan does not exist"
        text="The link may be cut off or mistyped. Ask the seller for another one."
      />
    );
  }
  if (DuedayError.is(error, "RETURN_URL_REFUSED")) {
    return (
      <Stopped
        title="This link is not the seller's"
        text="It leads back to a page that the seller of this plan has not listed, so nothing is shown. Start again on the seller's own site."
      />
    );
  }
  return (
    <Stopped
      title="The checkout can't be loaded now"
      text={`${describeFailure(error)} Loading this page charges nothing.`}
      onRetry={onRetry}
    />
  );
}
