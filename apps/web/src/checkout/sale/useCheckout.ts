import type { Dueday } from "@dueday/sdk";
import { useCallback, useEffect, useState } from "react";
import { type AppConfig, loadAppConfig } from "../../config/appConfig";
import type { CheckoutRequest } from "./readRequest";

/** What the service says about the plan and, once it is known, the payer. */
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
export function useCheckout(dueday: Dueday, { id, returnUrl }: CheckoutRequest, account: string | null) {
  const [state, setState] = useState<CheckoutState>({ status: "loading" });
  const [attempt, setAttempt] = useState(0);
  // `attempt` asks again.
  useEffect(() => {
    let isWanted = true;
    setState((before) => (before.status === "shown" ? { ...before, isStale: true } : { status: "loading" }));
    const input = { id, ...(account !== null && { account }), ...(returnUrl !== null && { returnUrl }) };
    Promise.all([dueday.getCheckout(input), loadAppConfig()]).then(
      ([checkout, config]) => {
        if (isWanted) setState({ status: "shown", checkout, config, isStale: false });
      },
      (error: Error) => {
        if (isWanted) setState({ status: "failed", error });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [dueday, id, returnUrl, account, attempt]);
  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  return { state, reload };
}
