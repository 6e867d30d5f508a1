import { type FormEvent, useState } from "react";
import type { Address } from "viem";
import { useConnection } from "wagmi";
import { Card } from "../../ui/Card";
import { Field } from "../../ui/Field";
import { FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { ActionStatus } from "../../wallet/ActionStatus";
import { faultOf } from "../../wallet/faultOf";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";
import { type ProfileTexts, profileFields } from "./profileFields";

const EMPTY: ProfileTexts = { company: "", description: "", url: "", domain: "", email: "", misc: "" };

/** A form in which a provider replaces its own profile. Shows nothing to other accounts. */
export function EditProfileCard({ address, profile }: { address: Address; profile: ProfileTexts | null }) {
  const { address: connected } = useConnection();
  const { run, progress, isBusy } = useWalletAction();
  const [changes, setChanges] = useState<Partial<ProfileTexts>>({});
  if (connected?.toLowerCase() !== address.toLowerCase()) return null;
  const texts = { ...EMPTY, ...pick(profile), ...changes };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run({
      sign: (actions, callbacks) => actions.editProviderProfile({ profile: texts, ...callbacks }),
      confirm: (dueday, options) => dueday.getProviderProfile({ address }, options),
    });
  };
  return (
    <Card title="Edit your profile" note="All six texts are replaced. They are public forever.">
      <form onSubmit={submit}>
        <Stack>
          <FormFields actions={<SignButton isBusy={isBusy}>Publish the profile</SignButton>}>
            {profileFields.map(([key, name]) => (
              <Field
                key={key}
                label={name}
                fault={faultOf(progress, `profile.${key}`)}
                wide={key === "description"}
                autoComplete="on"
                spellCheck
                value={texts[key]}
                onChange={({ target }) => setChanges({ ...changes, [key]: target.value })}
              />
            ))}
          </FormFields>
          <ActionStatus progress={progress} done="The profile is published." />
        </Stack>
      </form>
    </Card>
  );
}

/** The texts of the profile, without the other fields of an answer. */
function pick(profile: ProfileTexts | null): Partial<ProfileTexts> {
  return profile === null ? {} : Object.fromEntries(profileFields.map(([key]) => [key, profile[key]]));
}
