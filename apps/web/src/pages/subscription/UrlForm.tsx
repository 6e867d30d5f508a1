import { DuedayError } from "@dueday/sdk";
import type { ReactNode } from "react";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { FormFields } from "../../ui/FormField";
import { Stack } from "../../ui/Stack";
import { describeFailure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import type { useCheckoutSettings } from "./useCheckoutSettings";

export type UrlFormProps = {
  change: ReturnType<typeof useCheckoutSettings>;
  label: string;
  hint: string;
  action: string;
  value: string;
  /** What is wrong with the value, before it is sent. */
  fault?: string | undefined;
  /** The value is the stored one, so there is nothing to save. */
  isUnchanged?: boolean;
  onType(value: string): void;
  onSubmit(): void;
  /** Shown below the form. */
  children?: ReactNode;
};

/** A form for one URL of the seller's settings. It shows why the service refused the URL. */
export function UrlForm(props: UrlFormProps) {
  const { change, label, hint, action, value, isUnchanged = false, onType, onSubmit, children } = props;
  const { error, isPending } = change;
  const refused = DuedayError.is(error, "VALIDATION_ERROR") ? error.issues[0]?.message : undefined;
  const fault = props.fault ?? refused;
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        noValidate
      >
        <FormFields
          actions={
            <Button type="submit" disabled={isPending || isUnchanged}>
              {isPending ? "Saving" : action}
            </Button>
          }
        >
          <Field
            label={label}
            hint={hint}
            fault={fault && `${label} ${fault}. Correct it and try again.`}
            wide
            inputMode="url"
            value={value}
            onChange={({ target }) => onType(target.value.trim())}
          />
        </FormFields>
      </form>
      {error !== null && refused === undefined && <FailureNotice failure={describeFailure(error)} />}
      {children}
    </Stack>
  );
}
