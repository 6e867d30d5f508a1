import type { Dueday } from "@dueday/sdk";
import { useCallback, useEffect, useState } from "react";
import { type AppConfig, loadAppConfig } from "../../config/appConfig";
import type { CheckoutRequest } from "./readRequest";

/** The plan and, once it is known, the payer. */
export type Checkout = Awaited<ReturnType<Dueday["getCheckout"]>>;

export type CheckoutState =
  | { status: "loading" }
  | { status: "failed"; error: Error }
  /** `isStale`: an answer for another payer is on its way. */
  | { status: "shown"; checkout: Checkout; config: AppConfig; isStale: boolean };

/**
 * Asks for the plan, again for each payer, and again by `reload`. What was shown stays until the next answer.
 *
 * @param account the payer; null before a wallet is connected
 */
export function useCheckout(dueday: Dueday, { id, returnUrl, periods }: CheckoutRequest, account: string | null) {
  const [state, setState] = useState<CheckoutState>({ status: "loading" });
  // Asks again; an answer of an earlier block than that of a payment would not have it.
  const [attempt, setAttempt] = useState<{ minBlock?: bigint }>({});
  useEffect(() => {
    let isWanted = true;
    setState((before) => (before.status === "shown" ? { ...before, isStale: true } : { status: "loading" }));
    const input = {
      id,
      approvalPeriods: periods,
      ...(account !== null && { account }),
      ...(returnUrl !== null && { returnUrl }),
    };
    Promise.all([dueday.getCheckout(input, attempt), loadAppConfig()]).then(
      ([checkout, config]) => {
        if (isWanted) setState({ status: "shown", checkout, config, isStale: false });
      },
      (error: Error) => {
        if (!isWanted) return;
        // A payment stays shown, whatever the service answers after it.
        setState((before) =>
          before.status === "shown" && attempt.minBlock !== undefined
            ? { ...before, isStale: false }
            : { status: "failed", error },
        );
      },
    );
    return () => {
      isWanted = false;
    };
  }, [dueday, id, returnUrl, periods, account, attempt]);
  const reload = useCallback((minBlock?: bigint) => setAttempt(minBlock === undefined ? {} : { minBlock }), []);
  return { state, reload };
}
