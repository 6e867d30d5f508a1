import { useState } from "react";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Row, Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { OfSubscription } from "./ofSubscription";

/** The provider cancels its subscription here, and is asked once more before: a cancellation can't be undone. */
export function CancelCard({ subscription: { id, provider, cancelled } }: OfSubscription) {
  const { run, progress, isBusy } = useWalletAction();
  const [isAsked, setAsked] = useState(false);
  const cancel = () =>
    void run({
      sign: (actions, callbacks) => actions.cancelSubscription({ id, ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account: provider }, options),
    });
  if (cancelled && progress.step === "idle") return null;
  return (
    <Card title="Cancel" note="Ends the subscription for all of its subscribers. It can't be undone.">
      <Stack>
        {!cancelled && (
          <Row>
            {isAsked ? (
              <>
                <SignButton kind="danger" isBusy={isBusy} onSign={cancel}>
                  Cancel it for everybody
                </SignButton>
                <Button onClick={() => setAsked(false)}>Keep it</Button>
              </>
            ) : (
              <Button kind="danger" onClick={() => setAsked(true)}>
                Cancel this subscription
              </Button>
            )}
          </Row>
        )}
        <ActionStatus progress={progress} done="It is cancelled." />
      </Stack>
    </Card>
  );
}
