import type { FailedTest } from "./failedTests";

/** A test that may fail beside others as long as it passes alone, until the day (UTC, yyyy-mm-dd) by which it is repaired. */
export type UnsteadyTest = FailedTest & { until: string };

/** At most five, and none of chaos and consistency. */
export const unsteadyTests: readonly UnsteadyTest[] = [
  {
    // The proxy counts a request after it has answered, so its count can be read too early.
    file: "test/e2e/smuggling.test.ts",
    title:
      "behind the proxy of compose.yaml > no request reaches the API that the proxy did not see: a header that names headers to drop",
    until: "2026-12-07",
  },
  {
    // Its own statement that ends connections may be cut with them.
    file: "test/events/readersMissNothing.test.ts",
    title:
      "whatever ends, restarts or is reorganised meanwhile, every reader has the events of the chain, once, in order and with their retractions",
    until: "2026-12-07",
  },
  {
    // The test kit's caughtUp() once waits until it is rate-limited; the cause is not known.
    file: "test/e2e/examplePrograms.test.ts",
    title:
      "subscribeOverHttp.ts subscribes a wallet that has only tokens and ether, and a second time it names the reason why it can't",
    until: "2026-12-07",
  },
];

/** Whether each failed test is one of `listed` whose day has not passed. */
export function areUnsteady(
  failed: readonly FailedTest[],
  listed: readonly UnsteadyTest[],
  today = new Date().toISOString().slice(0, 10),
): boolean {
  return failed.every((each) =>
    listed.some(({ file, title, until }) => file === each.file && title === each.title && today <= until),
  );
}
