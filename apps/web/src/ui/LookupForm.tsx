import { type FormEvent, useState } from "react";
import type { Hex } from "viem";
import { Button } from "./Button";
import { Field } from "./Field";
import { FormFields } from "./FormField";

export type LookupFormProps = {
  label: string;
  /** Whether a text has the form of the value. */
  isValid(text: string): text is Hex;
  /** The form of the value in words. */
  hint: string;
  /** The word on the button. Default: Open. */
  action?: string | undefined;
  onOpen(value: Hex): void;
};

/** Opens a page by an address or id that the reader has. */
export function LookupForm({ label, isValid, hint, action = "Open", onOpen }: LookupFormProps) {
  const [value, setValue] = useState("");
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isRight = isValid(value);
    setWrong(!isRight);
    if (isRight) onOpen(value);
  };
  return (
    <form onSubmit={submit} noValidate>
      <FormFields actions={<Button type="submit">{action}</Button>}>
        <Field
          label={label}
          hint={hint}
          fault={isWrong ? `must be ${hint}` : null}
          wide
          value={value}
          onChange={({ target }) => setValue(target.value.trim())}
        />
      </FormFields>
    </form>
  );
}
