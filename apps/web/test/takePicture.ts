import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { CDPSession, Page } from "playwright-core";

/** Two frames: a chart is drawn after the page. */
const PAINTED = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))";
/** Drawn when they come into view, with a canvas. */
const CHARTS = "figure[aria-label]";
const QUALITY = 40;
/** A long list goes on as it begins. */
const MOST_HEIGHT_PX = 2_000;

/** Writes a WebP picture of the whole page, or of its beginning where it is long. @param session the page's own */
export async function takePicture(page: Page, session: CDPSession, file: string): Promise<void> {
  for (const chart of await page.locator(CHARTS).all()) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("canvas").waitFor();
  }
  await page.evaluate(`scrollTo(0, 0), ${PAINTED}`);
  const [width, height] = await page.evaluate<[number, number]>("[innerWidth, document.documentElement.scrollHeight]");
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, MOST_HEIGHT_PX), scale: 1 },
  });
  await mkdir(dirname(file), { recursive: true });
  await Bun.write(file, Buffer.from(data, "base64"));
}
