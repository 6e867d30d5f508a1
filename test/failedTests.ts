/** A test that failed in the output of `bun test`. */
export type FailedTest = { file: string; title: string };

const FILE = /^(?<file>\S+\.test\.tsx?):$/;
const FAILED = /^\(fail\) (?<title>.+?)(?: \[[\d.]+m?s\])?$/;
/** Before the failures are listed again, without their files. */
const AGAIN = /^\d+ tests failed:$/;
const FAILURES = /^ (?<count>\d+) (?:fail|errors?)$/;

/**
 * The tests that failed, by the output of `bun test`. Null where it counts more failures than it names, such as a file that could not be
 * loaded or a process that died.
 */
export function failedTests(output: string): FailedTest[] | null {
  const failed: FailedTest[] = [];
  let file: string | undefined;
  let counted = 0;
  for (const line of output.replaceAll(ANSI_STYLE, "").split("\n")) {
    file = AGAIN.test(line) ? undefined : (FILE.exec(line)?.groups?.file ?? file);
    const title = FAILED.exec(line)?.groups?.title;
    if (title !== undefined && file !== undefined) failed.push({ file, title });
    counted += Number(FAILURES.exec(line)?.groups?.count ?? 0);
  }
  return counted === failed.length ? failed : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles of a terminal begin with one
const ANSI_STYLE = /\u001b\[[\d;]*m/g;
