import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import classes from "./CheckoutPage.module.css";

/** The checkout where nothing can be shown: why, and what to do. */
export function Stopped({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
  return (
    <main className={`${classes.page} ${classes.stopped}`}>
      <h1 className={classes.hidden}>Checkout</h1>
      <Notice tone="bad" title={title} action={onRetry && <Button onClick={onRetry}>Try again</Button>} urgent>
        <p>{text}</p>
      </Notice>
    </main>
  );
}
