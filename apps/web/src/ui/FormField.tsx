import { type ReactNode, useId } from "react";
import classes from "./FormField.module.css";

/** Properties of a field's input. With them screen readers read the field's name, hint and fault aloud with the input. */
export type FormFieldInput = { id: string; className: string; "aria-describedby": string; "aria-invalid": boolean };

export type FormFieldProps = {
  label: string;
  hint?: ReactNode;
  /** Why the value was refused, and what is allowed. */
  fault?: string | undefined;
  /** The field takes the whole width of its form. */
  wide?: boolean;
  children(input: FormFieldInput): ReactNode;
};

/** A field of a form with its name, a hint, and the reason why its value was refused. */
export function FormField({ label, hint, fault, wide = false, children }: FormFieldProps) {
  const id = useId();
  const about = `${id}-about`;
  return (
    <div className={wide ? `${classes.field} ${classes.wide}` : classes.field}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      {children({ id, className: classes.input ?? "", "aria-describedby": about, "aria-invalid": fault !== undefined })}
      <div id={about} className={classes.about}>
        {fault !== undefined && <p className={classes.fault}>{fault}</p>}
        {hint !== undefined && <p className={classes.hint}>{hint}</p>}
      </div>
    </div>
  );
}

/** The fields of a form beside each other where there is room, and its buttons below. */
export function FormFields({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={classes.form}>
      {children !== undefined && <div className={classes.fields}>{children}</div>}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
