import { formatDate } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import { Button } from "../../ui/Button";
import { cleanText } from "../../ui/UntrustedText";
import { moneyOf } from "../sale/moneyOf";
import type { Checkout } from "../sale/useCheckout";
import type { NetworkFee } from "./useNetworkFee";

const MESSAGE_CHARACTERS = 400;

type Payer = NonNullable<Checkout["payer"]>;
type PayerStateProps = {
  checkout: Checkout;
  payer: Payer;
  chainName: string;
  fee: NetworkFee;
  /** Asks the service and the wallet again. */
  onCheck(): void;
};

/** For the payer before signing: whether the account pays already, what prevents the payment, what will fail later, and who pays the network's fee. */
export function PayerState(props: PayerStateProps) {
  const { checkout, payer, fee } = props;
  if (payer.standing === "active") return <Membership checkout={checkout} payer={payer} />;
  return (
    <>
      {payer.issues.map((issue) => (
        <Obstacle key={issue.code} issue={issue} {...props} />
      ))}
      {payer.ready && checkout.cover.charges === 0 && <NextFails checkout={checkout} payer={payer} />}
      {payer.standing === "unsubscribed" && payer.ready && <Returning checkout={checkout} />}
      {fee === "nobody" && <NoEther {...props} />}
      {fee === "seller" && <Sponsored checkout={checkout} />}
    </>
  );
}

function Membership({ checkout, payer }: { checkout: Checkout; payer: Payer }) {
  const { cover } = checkout;
  if (cover.charges > 0)
    return (
      <Notice tone="good" title="You already pay this plan">
        <p>Nothing is to be paid today.</p>
      </Notice>
    );
  const { money } = moneyOf(checkout);
  const holds = cover.endedBy === "approval" ? payer.allowance : payer.balance;
  return (
    <Notice tone="warn" title="You already pay this plan, and the next charge will fail">
      <p>
        Your {cover.endedBy} of {money(holds)} doesn't cover it, together with your other plans. A charge that fails
        ends the subscription.
      </p>
      <p>
        <a href={`/app/my?account=${payer.account}&chainId=${checkout.chainId}`} target="_blank" rel="noopener">
          Repair it
        </a>
      </p>
    </Notice>
  );
}

function Obstacle({
  issue,
  checkout,
  payer,
  chainName,
  onCheck,
}: PayerStateProps & { issue: Payer["issues"][number] }) {
  const { money, symbol } = moneyOf(checkout);
  switch (issue.code) {
    case "INSUFFICIENT_ALLOWANCE_OR_BALANCE":
      return (
        <Notice
          tone="bad"
          title={`This wallet holds too little ${symbol}`}
          action={<Button onClick={onCheck}>Check again</Button>}
        >
          <p>
            It holds {money(payer.balance)} on {chainName} and needs {money(payer.requiredAmount)}: to subscribe, a
            wallet must hold a whole period, even where less is charged today.
          </p>
        </Notice>
      );
    case "SUBSCRIBER_IS_PROVIDER":
      return (
        <Notice tone="bad" title="This is the seller's own wallet">
          <p>A seller can't subscribe to its own plan. Use another wallet.</p>
        </Notice>
      );
    default:
      return (
        <Notice tone="bad" title="This wallet can't subscribe now">
          <p>{cleanText(issue.message, MESSAGE_CHARACTERS)}</p>
        </Notice>
      );
  }
}

function NextFails({ checkout, payer }: { checkout: Checkout; payer: Payer }) {
  const { nextChargeAmount, nextChargeDate, cover, dueBeforeToday } = checkout;
  const { money, symbol } = moneyOf(checkout);
  const holds = cover.endedBy === "balance" ? `Your balance of ${money(payer.balance)}` : "The approval";
  const by = nextChargeDate === null || dueBeforeToday > 0 ? "soon" : `before ${formatDate(nextChargeDate)}`;
  const remedy = cover.endedBy === "balance" ? `Add ${symbol} ${by}` : `Approve more ${by}`;
  return (
    <Notice tone="warn" title="The next charge will fail">
      <p>
        {holds} pays today's charge, but not the next one of {money(nextChargeAmount)}. {remedy}, or the subscription
        ends.
      </p>
    </Notice>
  );
}

function Returning({ checkout }: { checkout: Checkout }) {
  const { money } = moneyOf(checkout);
  return (
    <Notice tone="neutral" title="You had this plan before">
      <p>
        Subscribing again begins with a first charge of {money(checkout.initialCharge.total)}, as for a new subscriber:
        what you paid before is not counted.
      </p>
    </Notice>
  );
}

function NoEther({ chainName, onCheck }: PayerStateProps) {
  return (
    <Notice
      tone="warn"
      title="This wallet has too little ether for the network's fee"
      action={<Button onClick={onCheck}>Check again</Button>}
    >
      <p>
        Signing costs a small fee in ether on {chainName}. Send a little ether to this wallet first, unless it pays fees
        in another way.
      </p>
    </Notice>
  );
}

function Sponsored({ checkout }: { checkout: Checkout }) {
  const { paymasterUrl } = checkout;
  return (
    <Notice tone="good" title="The seller pays the network's fee">
      <p>You need no ether. {paymasterUrl !== null && `The fee is paid through ${new URL(paymasterUrl).host}.`}</p>
    </Notice>
  );
}
