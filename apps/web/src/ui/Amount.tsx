import { formatAmount, formatFixed, unitsToDecimal } from "../format/formatAmount";
import classes from "./Amount.module.css";
import { SYMBOL_CHARACTERS, UntrustedText } from "./UntrustedText";

export type AmountProps = {
  /** In whole tokens, as a decimal string. */
  amount: string;
  symbol: string;
  /** Digits shown after the point at most. */
  digits?: number;
};

/** An amount of a token. The whole figure is in its title. In a list and in a table the decimal points are aligned. */
export function Amount({ amount, symbol, digits }: AmountProps) {
  const [whole, fraction] = formatAmount(amount, digits).split(".");
  return (
    <span className={classes.amount}>
      <span className={classes.number} title={amount}>
        <span className={classes.whole}>{whole}</span>
        <span className={classes.fraction}>.{fraction}</span>
      </span>{" "}
      <span className={classes.symbol}>
        <UntrustedText text={symbol} most={SYMBOL_CHARACTERS} empty="tokens" />
      </span>
    </span>
  );
}

/** The amounts of several tokens, one below the other; "none" where there are none. */
export function Amounts({ amounts }: { amounts: readonly { token: string; amount: string; symbol: string }[] }) {
  if (amounts.length === 0) return <span className={classes.none}>none</span>;
  return (
    <ul className={classes.list}>
      {amounts.map(({ token, amount, symbol }) => (
        <li key={token}>
          <Amount amount={amount} symbol={symbol} />
        </li>
      ))}
    </ul>
  );
}

const ETHER_DECIMALS = 18;
const ETHER_DIGITS = 6;

/** An amount of the chain's own currency, with a fixed number of digits, so that figures below each other compare. */
export function Ether({ wei }: { wei: bigint | string }) {
  const amount = unitsToDecimal(BigInt(wei), ETHER_DECIMALS);
  return (
    <span className={classes.amount}>
      <span title={amount}>{formatFixed(amount, ETHER_DIGITS)}</span> <span className={classes.symbol}>ETH</span>
    </span>
  );
}
