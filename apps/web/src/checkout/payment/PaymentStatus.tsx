import { FailureNotice } from "../../wallet/FailureNotice";
import classes from "./Payment.module.css";
import type { PaymentProgress } from "./paymentProgress";

/** The present step of a payment, read aloud by screen readers, or why the payment stopped. */
export function PaymentStatus({ progress }: { progress: PaymentProgress }) {
  if (progress.step === "failed") return <FailureNotice failure={progress.failure} />;
  return (
    <p role="status" className={classes.status} data-step={progress.step}>
      {sentenceOf(progress)}
    </p>
  );
}

function sentenceOf(progress: PaymentProgress): string {
  switch (progress.step) {
    case "preparing":
      return "Preparing and checking what you will sign.";
    case "signing": {
      const { count, sent, approved } = progress;
      if (sent >= count) return "Sent. Waiting until the chain has it.";
      const approval = approved === null ? "" : ` It approves ${approved} in all.`;
      return count === 1 || sent === 0
        ? `Confirm in your wallet.${approval}`
        : `Confirm in your wallet: ${sent} of ${count} sent.${approval}`;
    }
    case "proving":
      return "Sign the message for the seller in your wallet. It moves no money.";
    default:
      return "";
  }
}
