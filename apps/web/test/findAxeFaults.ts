import { source } from "axe-core";
import type { Page } from "playwright-core";

type Violation = { id: string; help: string; nodes: { html: string }[] };

/** What axe-core finds on a page, one line for each violation. */
export async function findAxeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source);
  // The script above has put `axe` there. Without the option it describes every element that passes, too.
  const violations = await page.evaluate<Violation[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
  );
}
