import { useEffect, useState } from "react";
import { createPublicClient, custom } from "viem";
import { formatAmount } from "../../format/formatAmount";
import { Notice } from "../../states/Notice";
import { cleanText } from "../../ui/UntrustedText";
import type { Checkout } from "../sale/useCheckout";
import type { Connection } from "./connectWallet";

const MESSAGE_CHARACTERS = 400;
/** A warning about the approval that this page does not ask for. */
const ABOUT_ONE_PERIOD = "ONE_PERIOD_APPROVAL";
/** Gas of an approve and a subscribe together, generously: below it a wallet will probably be refused. */
const GAS = 300_000n;

/** What the payer should know before signing: whether it pays already, what forbids it, what will fail later, and whether it has ether. */
export function PayerState({
  checkout,
  connection,
  isBusy,
}: {
  checkout: Checkout;
  connection: Connection;
  isBusy: boolean;
}) {
  const lacksEther = useLacksEther(connection);
  const { payer } = checkout;
  if (payer === null || isBusy) return null;
  if (payer.standing === "active") return <Membership checkout={checkout} payer={payer} />;
  const warnings = payer.warnings.filter(({ code }) => code !== ABOUT_ONE_PERIOD);
  return (
    <>
      <Reasons tone="bad" title="This wallet can't subscribe now" reasons={payer.issues} />
      <Reasons tone="warn" title="Before you pay" reasons={warnings} />
      {payer.standing === "unsubscribed" && (
        <Notice tone="neutral" title="You had this plan before">
          <p>Subscribing again starts anew with the charge that is shown as today's.</p>
        </Notice>
      )}
      {lacksEther && (
        <Notice tone="warn" title="This wallet has too little ether for the network's fee">
          <p>
            A payment costs a fee of a few cents, in ether on the same chain. Send some to this wallet first, unless its
            maker pays fees.
          </p>
        </Notice>
      )}
    </>
  );
}

type Payer = NonNullable<Checkout["payer"]>;

function Membership({ checkout, payer }: { checkout: Checkout; payer: Payer }) {
  const { periodsByAllowance, periodsByBalance } = payer.runway;
  const covered = Math.min(periodsByAllowance, periodsByBalance);
  const symbol = cleanText(checkout.subscription.tokenSymbol).slice(0, 12);
  const shortOf = periodsByAllowance <= periodsByBalance ? "approval" : "balance";
  return covered > 0 ? (
    <Notice tone="good" title="You already pay this plan">
      <p>
        Your {shortOf} covers the next {covered === 1 ? "charge" : `${covered} charges`}.
      </p>
    </Notice>
  ) : (
    <Notice tone="warn" title="You already pay this plan, and the next charge will fail">
      <p>
        Your {shortOf} of {formatAmount(shortOf === "approval" ? payer.allowance : payer.balance)} {symbol} doesn't
        cover it. A charge that fails ends the subscription.
      </p>
      <p>
        <a href={`/app/accounts/${payer.account}?chainId=${checkout.chainId}`} target="_blank" rel="noopener">
          Repair it
        </a>
      </p>
    </Notice>
  );
}

type Reason = { code: string; message: string };

function Reasons({ tone, title, reasons }: { tone: "bad" | "warn"; title: string; reasons: readonly Reason[] }) {
  if (reasons.length === 0) return null;
  return (
    <Notice tone={tone} title={title}>
      {reasons.map(({ code, message }) => (
        <p key={code}>{cleanText(message).slice(0, MESSAGE_CHARACTERS)}</p>
      ))}
    </Notice>
  );
}

/** Whether the wallet's ether is below what the transactions will probably cost; false while that is not known. */
function useLacksEther({ provider, account }: Connection): boolean {
  const [lacks, setLacks] = useState(false);
  useEffect(() => {
    let isWanted = true;
    const client = createPublicClient({ transport: custom(provider) });
    Promise.all([client.getBalance({ address: account }), client.getGasPrice()]).then(
      ([balance, price]) => {
        if (isWanted) setLacks(balance < price * GAS);
      },
      // The wallet says so itself when it is asked to sign.
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [provider, account]);
  return lacks;
}
