import type { Operations } from "@dueday/sdk";
import { useState } from "react";
import { countOf } from "../../format/describeDays";
import { unitsToDecimal } from "../../format/formatAmount";
import { Amounts, Ether } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { type Column, DataTable } from "../../ui/DataTable";
import { Field } from "../../ui/Field";
import { Inset } from "../../ui/Inset";
import { cleanText } from "../../ui/UntrustedText";
import classes from "./ProfitCalculator.module.css";
import { gasPriceOf, type Profit, type Profits, profitOf, readPrice } from "./profitOf";

type Readiness = Operations["getRemitReadiness"]["output"];
type Fees = Readiness["plan"]["transactions"][number]["callerFees"];

const GWEI_DECIMALS = 9;
const SYMBOL_CHARACTERS = 12;

/** What the plan earns at the reader's own prices. Nothing is asked of anybody for it: prices are typed in. */
export function ProfitCalculator({ plan }: { plan: Readiness }) {
  const tokens = plan.totals.callerFees;
  const [gas, setGas] = useState<string | null>(null);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  // Until the reader types a price it is the present one.
  const gasText = gas ?? unitsToDecimal(gasPriceOf(plan), GWEI_DECIMALS);
  const gasWei = readPrice(gasText, "gwei");
  const prices = tokens.map(({ token }) => [token, readPrice(typed[token] ?? "0", "ETH")] as const);
  const tokenWei = new Map(prices.flatMap(([token, wei]) => (wei === null ? [] : [[token, wei] as const])));
  const profits = profitOf(plan, { gasWei: gasWei ?? 0n, tokenWei });
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
            onChange={({ target }) => setGas(target.value)}
          />
          {tokens.map(({ token, symbol }) => (
            <Field
              key={token}
              label={`1 ${cleanText(symbol).slice(0, SYMBOL_CHARACTERS) || "token"}`}
              unit="ETH"
              inputMode="decimal"
              placeholder="0.0004"
              value={typed[token] ?? ""}
              fault={
                typed[token] && readPrice(typed[token], "ETH") === null
                  ? "Must be a number such as 0.0004, with at most 18 digits after the point."
                  : null
              }
              onChange={({ target }) => setTyped({ ...typed, [token]: target.value })}
            />
          ))}
        </div>
        <p className={classes.verdict} role="status">
          {gasWei === null ? (
            "Correct the gas price to see what settling earns."
          ) : (
            <Verdict
              profits={profits}
              planned={plan.totals.transactions}
              hasPrices={[...tokenWei.values()].some((wei) => wei > 0n)}
            />
          )}
        </p>
      </Inset>
      {gasWei !== null && (
        <DataTable
          label="Profit of each transaction"
          columns={columnsOf(profits, fees)}
          rows={profits.transactions}
          rowKey={({ index }) => String(index)}
        />
      )}
    </>
  );
}

type VerdictProps = {
  profits: Profits;
  /** Transactions of the whole plan: the answer lists the first of them. */
  planned: number;
  hasPrices: boolean;
};

function Verdict({ profits: { best, bestWei }, planned, hasPrices }: VerdictProps) {
  if (!hasPrices) return "Enter what the tokens are worth to you, in ETH, to see what settling earns.";
  if (best === 0)
    return "At these prices the plan never earns more than its gas, however many of its transactions you send.";
  const all = best === planned ? "all" : "the first";
  return (
    <>
      Send {all} {countOf(best, "transaction")}: they earn <Ether wei={bestWei} /> after gas.
    </>
  );
}

function columnsOf({ best }: Profits, fees: ReadonlyMap<number, Fees>): Column<Profit>[] {
  return [
    { key: "index", header: "#", cell: ({ index }) => index + 1 },
    {
      key: "verdict",
      header: "Send",
      cell: ({ index }) => (index < best ? <Badge tone="good">yes</Badge> : <Badge>no</Badge>),
    },
    { key: "fees", header: "Fees", align: "end", cell: ({ index }) => <Amounts amounts={fees.get(index) ?? []} /> },
    { key: "worth", header: "Worth", align: "end", cell: ({ feesWei }) => <Ether wei={feesWei} /> },
    { key: "cost", header: "Gas cost", align: "end", cell: ({ costWei }) => <Ether wei={costWei} /> },
    { key: "net", header: "Net", align: "end", cell: ({ netWei }) => <Ether wei={netWei} /> },
    {
      key: "cumulative",
      header: "Net so far",
      align: "end",
      cell: ({ cumulativeWei }) => <Ether wei={cumulativeWei} />,
    },
  ];
}
