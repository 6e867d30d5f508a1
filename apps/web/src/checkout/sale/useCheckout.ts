import type { Dueday } from "@dueday/sdk";
import { useCallback, useEffect, useState } from "react";
import type { Address } from "viem";
import { type AppConfig, loadAppConfig } from "../../config/appConfig";
import type { CheckoutRequest } from "./readRequest";

/** The answer about the plan and, once the account is known, about the payer. */
export type Checkout = Awaited<ReturnType<Dueday["getCheckout"]>>;

export type CheckoutState =
  | { status: "loading" }
  | { status: "failed"; error: Error }
  /** `isStale`: the answer for the present payer is not there yet; `failure`: why it did not come. */
  | { status: "shown"; checkout: Checkout; config: AppConfig; isStale: boolean; failure: Error | null };

/**
 * Asks for the plan, and again for each new payer and for each `reload`. The last answer stays until the next one arrives.
 *
 * @param account the payer; null before a wallet is connected
 */
export function useCheckout(dueday: Dueday, { id, returnUrl, periods }: CheckoutRequest, account: Address | null) {
  const [state, setState] = useState<CheckoutState>({ status: "loading" });
  // A new value asks again. `minBlock` excludes answers of blocks before a payment, which would not have it.
  const [attempt, setAttempt] = useState<{ minBlock?: bigint }>({});
  useEffect(() => {
    let isWanted = true;
    setState((before) =>
      before.status === "shown" ? { ...before, isStale: true, failure: null } : { status: "loading" },
    );
    const input = {
      id,
      approvalPeriods: periods,
      ...(account !== null && { account }),
      ...(returnUrl !== null && { returnUrl }),
    };
    Promise.all([dueday.getCheckout(input, attempt), loadAppConfig()]).then(
      ([checkout, config]) => {
        if (isWanted) setState({ status: "shown", checkout, config, isStale: false, failure: null });
      },
      (error: Error) => {
        if (!isWanted) return;
        setState((before) => (before.status === "shown" ? { ...before, failure: error } : { status: "failed", error }));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [dueday, id, returnUrl, periods, account, attempt]);
  const reload = useCallback((minBlock?: bigint) => setAttempt(minBlock === undefined ? {} : { minBlock }), []);
  return { state, reload };
}
