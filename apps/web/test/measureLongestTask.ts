import type { Browser, Page } from "playwright-core";

type TraceEvent = { name: string; ph: string; pid: number; tid: number; tdur?: number; args?: { name?: string } };

/**
 * The longest task of a page's main thread while something happens, in milliseconds of processor time: unlike the time on a clock, it
 * does not grow when other programs keep the processor busy.
 */
export async function measureLongestTask(browser: Browser, page: Page, run: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await run();
  // What Chromium writes.
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const mains = new Set(named.map(threadOf));
  const tasks = traceEvents.filter((event) => /RunTask$/.test(event.name) && mains.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
