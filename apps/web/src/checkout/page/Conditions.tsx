import { moneyOf } from "../sale/moneyOf";
import classes from "./CheckoutPage.module.css";
import type { ShownTerms } from "./Terms";

/** What the payer agrees to besides the price. */
export function Conditions({ checkout }: { checkout: Pick<ShownTerms, "subscription"> }) {
  const { symbol } = moneyOf(checkout);
  return (
    <ul className={classes.conditions}>
      <li>
        One approval serves all plans that this wallet pays here in {symbol}. No more than its amount can be charged,
        and you can lower it at any time.
      </li>
      <li>You can leave at any time. Leaving returns nothing to you: what was paid stays with the seller.</li>
      <li>A charge that your balance or approval doesn't cover ends the subscription.</li>
    </ul>
  );
}
