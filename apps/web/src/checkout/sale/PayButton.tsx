import { Button } from "../../ui/Button";
import classes from "./PayButton.module.css";

export type PayButtonProps = { disabled?: boolean; onClick(): void; children: string };

/** The one button of a checkout: as wide as the page and as high as a finger. */
export function PayButton(props: PayButtonProps) {
  return <Button kind="primary" className={classes.button} {...props} />;
}
