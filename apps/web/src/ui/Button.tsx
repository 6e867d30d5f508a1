import type { ComponentProps } from "react";
import classes from "./Button.module.css";

export type ButtonProps = ComponentProps<"button"> & {
  /** `primary` for the one thing that a form or a card is for; `plain` looks like text. Default: `secondary`. */
  kind?: "primary" | "secondary" | "danger" | "plain";
};

/** A button, of type `button` unless it submits a form. */
export function Button({ kind = "secondary", type = "button", className, ...rest }: ButtonProps) {
  return (
    <button type={type} className={[classes.button, classes[kind], className].filter(Boolean).join(" ")} {...rest} />
  );
}
