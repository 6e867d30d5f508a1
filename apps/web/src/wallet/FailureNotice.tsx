import { Notice } from "../states/Notice";
import { UntrustedText } from "../ui/UntrustedText";
import { Countdown } from "./Countdown";
import type { Failure } from "./describeFailure";
import classes from "./FailureNotice.module.css";

/** Why a write stopped, and what to do. A rejection by the wallet's owner is not a fault. */
export function FailureNotice({ failure }: { failure: Failure }) {
  const { code, title, remedy, issues, requestId, retryAfter } = failure;
  return (
    <Notice
      tone={code === "REJECTED_IN_WALLET" ? "neutral" : code === "RATE_LIMITED" ? "warn" : "bad"}
      title={title}
      urgent
    >
      {issues.length > 0 && (
        <ul className={classes.issues}>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== undefined && <code>{path}</code>} <UntrustedText text={message} most={400} />
            </li>
          ))}
        </ul>
      )}
      <p>{remedy}</p>
      {retryAfter !== null && <Countdown key={requestId} seconds={retryAfter} />}
      {code !== "REJECTED_IN_WALLET" && (
        <p className={classes.code}>
          Code <code>{code}</code>
          {requestId !== null && (
            <>
              , request <code>{requestId}</code>
            </>
          )}
        </p>
      )}
    </Notice>
  );
}
