import type { ComponentProps, ReactNode } from "react";
import classes from "./Field.module.css";
import { FormField } from "./FormField";

export type FieldProps = Omit<ComponentProps<"input">, "id" | "className"> & {
  label: string;
  /** The unit, after the input. */
  unit?: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value, as a sentence. */
  fault?: string | null | undefined;
  /** The field takes the whole width of its form. */
  wide?: boolean;
};

/** A line of text to enter, with its name, its unit, and what is wrong with its value. */
export function Field({ label, unit, hint, fault, wide, ...input }: FieldProps) {
  return (
    <FormField label={label} hint={hint} fault={fault ?? undefined} wide={wide ?? false}>
      {(field) => (
        <span className={classes.row}>
          <input {...field} autoComplete="off" spellCheck={false} {...input} />
          {unit !== undefined && <span className={classes.unit}>{unit}</span>}
        </span>
      )}
    </FormField>
  );
}
