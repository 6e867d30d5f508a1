import { formatInteger } from "../format/formatAmount";
import { AddressLabel } from "../ui/AddressLabel";
import classes from "./ActionStatus.module.css";
import type { ActionProgress } from "./actionProgress";
import { FailureNotice } from "./FailureNotice";

/** Progress of a write: four steps, read aloud by screen readers, or why the write stopped. Shows nothing before the first click. */
export function ActionStatus({ progress, done }: { progress: ActionProgress; done: string }) {
  if (progress.step === "idle") return null;
  if (progress.step === "failed") return <FailureNotice failure={progress.failure} />;
  const reached = stepOf(progress);
  return (
    <div className={classes.status} role="status" data-step={progress.step}>
      <ol className={classes.steps}>
        {steps.map((name, index) => (
          <li
            key={name}
            className={index < reached ? classes.reached : index === reached ? classes.current : undefined}
          >
            <span aria-hidden="true" className={classes.mark}>
              {index < reached ? "✓" : index + 1}
            </span>
            {name}
          </li>
        ))}
      </ol>
      <p className={classes.sentence}>{sentenceOf(progress, done)}</p>
      <Hashes progress={progress} />
    </div>
  );
}

const steps = ["Prepared and checked", "Signed", "Mined", "Shown here"];

/** The number of completed steps. */
function stepOf(progress: ActionProgress): number {
  switch (progress.step) {
    case "signing":
      return progress.sent < progress.count ? 1 : 2;
    case "mined":
      return 3;
    case "done":
      return steps.length;
    default:
      return 0;
  }
}

function sentenceOf(progress: ActionProgress, done: string): string {
  switch (progress.step) {
    case "preparing":
      return "The service prepares the transaction, and it is compared with what you asked for.";
    case "signing": {
      const { count, sent } = progress;
      if (sent >= count) return "Sent. Waiting for the block.";
      if (count === 1) return "Confirm the transaction in your wallet.";
      return `Confirm in your wallet: ${count} transactions${sent > 0 ? `, ${sent} sent` : ""}.`;
    }
    case "mined":
      return `Mined in block ${formatInteger(progress.block)}. Waiting for the service to index it.`;
    case "done":
      return progress.isBehind
        ? `${done} It is mined in block ${formatInteger(progress.block)}; the service has not indexed it yet, and this page follows when it has.`
        : `${done} Mined in block ${formatInteger(progress.block)}.`;
    default:
      return "";
  }
}

function Hashes({ progress }: { progress: ActionProgress }) {
  if (!("hashes" in progress)) return null;
  return (
    <p className={classes.hashes}>
      {[...new Set(progress.hashes)].map((hash) => (
        <AddressLabel key={hash} value={hash} kind="tx" />
      ))}
    </p>
  );
}
