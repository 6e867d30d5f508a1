import type { Operations } from "@dueday/sdk";
import type { ReactNode } from "react";
import { countOf } from "../../format/describeDays";
import { unitsToDecimal } from "../../format/formatAmount";
import { type Column, DataTable } from "../../tables/DataTable";
import { Amounts, Ether } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Field } from "../../ui/Field";
import { Inset } from "../../ui/Inset";
import { cleanSymbol } from "../../ui/UntrustedText";
import type { Advice } from "./adviceOf";
import classes from "./ProfitCalculator.module.css";
import { gasPriceOf, type Profit, readPrice } from "./profitOf";
import type { TypedPrices } from "./usePrices";

type Readiness = Operations["getRemitReadiness"]["output"];
type Fees = Readiness["plan"]["transactions"][number]["callerFees"];

const GWEI_DECIMALS = 9;

export type ProfitCalculatorProps = {
  plan: Readiness;
  prices: TypedPrices;
  /** Computed at these prices. */
  advice: Advice;
  onPrices(prices: TypedPrices): void;
};

/** What the plan earns at the reader's own prices. No request is sent for it: the reader types the prices. */
export function ProfitCalculator({ plan, prices, advice, onPrices }: ProfitCalculatorProps) {
  const { gasWei, profits } = advice;
  // Until the reader types a gas price, the present one is used.
  const gasText = prices.gas ?? unitsToDecimal(gasPriceOf(plan), GWEI_DECIMALS);
  const typed = prices.tokens;
  const fees = new Map(plan.plan.transactions.map(({ index, callerFees }) => [index, callerFees]));
  return (
    <>
      <Inset>
        <div className={classes.prices}>
          <Field
            label="Gas price"
            unit="gwei"
            inputMode="decimal"
            value={gasText}
            fault={gasWei === null ? "Must be a number such as 0.05, with at most 9 digits after the point." : null}
            onChange={({ target }) => onPrices({ ...prices, gas: target.value })}
          />
          {plan.totals.callerFees.map(({ token, symbol }) => (
            <Field
              key={token}
              label={`1 ${cleanSymbol(symbol) || "token"}`}
              unit="ETH"
              inputMode="decimal"
              placeholder="0.0004"
              value={typed[token] ?? ""}
              fault={
                typed[token] && readPrice(typed[token], "ETH") === null
                  ? "Must be a number such as 0.0004, with at most 18 digits after the point."
                  : null
              }
              onChange={({ target }) => onPrices({ ...prices, tokens: { ...typed, [token]: target.value } })}
            />
          ))}
        </div>
        <p className={classes.verdict} role="status">
          {gasWei === null ? (
            "Correct the gas price to see what settling earns."
          ) : (
            <Verdict advice={advice} planned={plan.totals.transactions} />
          )}
        </p>
      </Inset>
      {gasWei !== null && (
        <DataTable
          label="Profit of each transaction"
          columns={columnsOf(advice, fees)}
          rows={profits.transactions}
          rowKey={({ index }) => String(index)}
        />
      )}
    </>
  );
}

type VerdictProps = {
  advice: Advice;
  /** Number of transactions in the whole plan. The answer lists at most the first 50 of them. */
  planned: number;
};

function Verdict({ advice, planned }: VerdictProps) {
  const { best, bestWei } = advice.profits;
  if (!advice.isMeasured) return "The gas of these transactions is not known, so what they earn is not known either.";
  if (!advice.isKnown)
    return "Enter what each token is worth to you, in ETH (0 for nothing), to see what settling earns. This browser keeps it.";
  if (best === 0)
    return "At these prices the plan never earns more than its gas, however many of its transactions you send.";
  const all = best === planned ? "all" : "the first";
  return (
    <>
      Send {all} {countOf(best, "transaction")}: {best === 1 ? "it earns" : "they earn"} <Ether wei={bestWei} /> after
      gas.
    </>
  );
}

function columnsOf(
  { profits: { best }, isMeasured, isKnown }: Advice,
  fees: ReadonlyMap<number, Fees>,
): Column<Profit>[] {
  const known = (cell: ReactNode) => (isKnown ? cell : "unknown");
  return [
    { key: "index", header: "#", cell: ({ index }) => index + 1 },
    {
      key: "verdict",
      header: "Send",
      cell: ({ index }) => known(index < best ? <Badge tone="good">yes</Badge> : <Badge>no</Badge>),
    },
    { key: "fees", header: "Fees", align: "end", cell: ({ index }) => <Amounts amounts={fees.get(index) ?? []} /> },
    { key: "worth", header: "Worth", align: "end", cell: ({ feesWei }) => known(<Ether wei={feesWei} />) },
    {
      key: "cost",
      header: "Gas cost",
      align: "end",
      cell: ({ costWei }) => (isMeasured ? <Ether wei={costWei} /> : "unknown"),
    },
    { key: "net", header: "Net", align: "end", cell: ({ netWei }) => known(<Ether wei={netWei} />) },
    {
      key: "cumulative",
      header: "Net so far",
      align: "end",
      cell: ({ cumulativeWei }) => known(<Ether wei={cumulativeWei} />),
    },
  ];
}
