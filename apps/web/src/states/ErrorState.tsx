import { DuedayError } from "@dueday/sdk";
import { Button } from "../ui/Button";
import { Notice } from "./Notice";
import { RateLimited } from "./RateLimited";

export type ErrorStateProps = {
  error: Error;
  /** What failed, as a sentence without its full stop. */
  title?: string;
  onRetry?: () => void;
};

/** Errors for which a retry is useless: the same request would be refused again. */
const REFUSED = ["VALIDATION_ERROR", "URL_REFUSED", "LANE_REQUIRED", "NOT_FOUND"] as const;

function mayPass(error: Error): boolean {
  return !DuedayError.is(error, ...REFUSED);
}

/** What went wrong in the words of the service, each fault of the input, and the request id with which the operator finds it. */
export function ErrorState({ error, title = "This part could not be loaded", onRetry }: ErrorStateProps) {
  if (DuedayError.is(error, "RATE_LIMITED")) return <RateLimited error={error} onRetry={onRetry} />;
  const known = DuedayError.is(error) ? error : null;
  const action = onRetry && mayPass(error) && <Button onClick={onRetry}>Try again</Button>;
  return (
    <Notice tone="bad" title={title} action={action} urgent>
      <p>{error.message}</p>
      {known !== null && known.issues.length > 1 && (
        <ul>
          {known.issues.map(({ code, path, message }) => (
            <li key={`${code} ${path}`}>{[path, message].filter(Boolean).join(" ")}</li>
          ))}
        </ul>
      )}
      {known?.revert && <p>{known.revert.message}</p>}
      {known !== null && (
        <p>
          Code <code>{known.code}</code>
          {known.requestId !== null && (
            <>
              , request <code>{known.requestId}</code>
            </>
          )}
        </p>
      )}
    </Notice>
  );
}
