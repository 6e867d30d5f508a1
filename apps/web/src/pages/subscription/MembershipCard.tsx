import { useEntitlement } from "@dueday/sdk/react";
import { useConnection } from "wagmi";
import { Answer } from "../../states/Answer";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { useWalletAction } from "../../wallet/useWalletAction";
import { ConnectToSubscribe } from "./ConnectToSubscribe";
import { Entitlement } from "./Entitlement";
import { LeavePanel } from "./LeavePanel";
import type { OfSubscription } from "./ofSubscription";
import { RevokeNotice } from "./RevokeNotice";
import { type SubscribeChoice, SubscribeForm } from "./SubscribeForm";

const SUBSCRIBED = new Set(["active", "past_due"]);

/** The connected wallet and a subscription: it subscribes, sees whether it may use the subscription, or unsubscribes. */
export function MembershipCard({ subscription }: OfSubscription) {
  const { id, cancelled } = subscription;
  const { address } = useConnection();
  const query = useEntitlement(address === undefined ? null : { id, account: address });
  const subscribing = useWalletAction();
  const leaving = useWalletAction();
  const confirm = { id, account: address ?? "0x" };

  const subscribe = ({ approvalPeriods, paymasterUrl }: SubscribeChoice) =>
    void subscribing.run({
      sign: (actions, progress) =>
        actions.subscribe({
          id,
          ...progress,
          ...(approvalPeriods === null ? { infiniteApproval: true } : { approvalPeriods }),
          ...(paymasterUrl !== null && { paymasterUrl }),
        }),
      confirm: (dueday, options) => dueday.getEntitlement(confirm, options),
    });
  const unsubscribe = () =>
    void leaving.run({
      sign: (actions, progress) => actions.unsubscribe({ id, ...progress }),
      confirm: (dueday, options) => dueday.getEntitlement(confirm, options),
    });

  const isSubscribed = query.data !== undefined && SUBSCRIBED.has(query.data.state);
  return (
    <Card title="Your subscription" footer={query.data && <SourceLink asOf={query.data.asOf} />}>
      <Stack>
        {address === undefined ? (
          <ConnectToSubscribe />
        ) : (
          <Answer query={query} label="your subscription">
            {(entitlement) => (
              <>
                <Entitlement entitlement={entitlement} />
                {isSubscribed ? (
                  <LeavePanel
                    subscription={subscription}
                    account={address}
                    entitlement={entitlement}
                    isBusy={leaving.isBusy}
                    onLeave={unsubscribe}
                  />
                ) : cancelled ? (
                  <p>Its provider has cancelled it: it takes no new subscribers.</p>
                ) : (
                  <SubscribeForm
                    subscription={subscription}
                    account={address}
                    isBusy={subscribing.isBusy}
                    onSubscribe={subscribe}
                  />
                )}
              </>
            )}
          </Answer>
        )}
        <ActionStatus progress={subscribing.progress} done="You are subscribed." />
        <ActionStatus progress={leaving.progress} done="You are no longer subscribed." />
        {/* The wallet may have another account selected by now, which still pays the plan. */}
        {address !== undefined && leaving.progress.step === "done" && query.data !== undefined && !isSubscribed && (
          <RevokeNotice subscription={subscription} account={address} />
        )}
      </Stack>
    </Card>
  );
}
