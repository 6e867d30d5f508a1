import { type ComponentProps, type ReactNode, useId } from "react";
import classes from "./Field.module.css";

export type FieldProps = Omit<ComponentProps<"input">, "id" | "className"> & {
  label: string;
  /** The unit, after the input. */
  unit?: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value, as a sentence. */
  fault?: string | null;
};

/** An input with its name, its unit, and what is wrong with its value. */
export function Field({ label, unit, hint, fault = null, ...input }: FieldProps) {
  const id = useId();
  const about = fault !== null || hint !== undefined ? `${id}-about` : undefined;
  return (
    <div className={classes.field}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <span className={classes.row}>
        <input
          id={id}
          className={classes.input}
          aria-invalid={fault !== null}
          aria-describedby={about}
          autoComplete="off"
          spellCheck={false}
          {...input}
        />
        {unit !== undefined && <span className={classes.unit}>{unit}</span>}
      </span>
      {about !== undefined && (
        <span id={about} className={fault === null ? classes.hint : classes.fault}>
          {fault ?? hint}
        </span>
      )}
    </div>
  );
}
