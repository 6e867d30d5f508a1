import { type FormEvent, useState } from "react";
import { useConnection } from "wagmi";
import { Card } from "../../ui/Card";
import { FormField, FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { asHex } from "../../wallet/asHex";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import type { OfSubscription } from "./ofSubscription";

/** The most subscribers that the input suggests: a browser is slow with thousands. */
const MOST_OFFERED = 200;

/** The provider ends the subscription of one subscriber here. Shows nothing to other accounts. */
export function RemovePanel({ subscription, subscribers }: OfSubscription & { subscribers: readonly string[] }) {
  const { id, provider } = subscription;
  const { address } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const [subscriber, setSubscriber] = useState("");
  if (address !== provider) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({
      sign: (actions, callbacks) => actions.removeSubscriber({ id, subscriber: asHex(subscriber), ...callbacks }),
      confirm: (dueday, options) => dueday.getEntitlement({ id, account: asHex(subscriber) }, options),
    });
  };
  return (
    <Card title="Remove a subscriber" note="Ends the subscription of one account. It gets back what it has prepaid.">
      <form onSubmit={submit}>
        <Stack>
          <FormFields
            actions={
              <SignButton kind="danger" isBusy={isBusy}>
                Remove
              </SignButton>
            }
          >
            <FormField label="Subscriber" wide>
              {(input) => (
                <>
                  <input
                    {...input}
                    list={`${input.id}-subscribers`}
                    pattern="0x[0-9a-fA-F]{40}"
                    required
                    value={subscriber}
                    onChange={({ target }) => setSubscriber(target.value.trim())}
                  />
                  <datalist id={`${input.id}-subscribers`}>
                    {subscribers.slice(0, MOST_OFFERED).map((each) => (
                      <option key={each} value={each} />
                    ))}
                  </datalist>
                </>
              )}
            </FormField>
          </FormFields>
          <ActionStatus progress={progress} done="The subscriber is removed." />
        </Stack>
      </form>
    </Card>
  );
}
