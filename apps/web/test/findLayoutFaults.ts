import type { Page } from "playwright-core";

/**
 * What does not fit on a page at its present width, one line for each: the page itself, an element that hides a part of its content or
 * scrolls sideways, one that sticks out of its card, and cards or buttons that touch. Navigation and code scroll sideways by design.
 */
export async function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${String(judgeLayout)})()`);
}

/** Runs in the page. */
function judgeLayout(): string[] {
  const faults: string[] = [];
  // The parts of a window that are used here; this workspace compiles tests without the types of browsers.
  const { document, innerWidth, getComputedStyle } = globalThis as unknown as PageWindow;
  const nameOf = (element: PageElement) =>
    `<${element.tagName.toLowerCase()}> "${(element.textContent ?? "").trim().slice(0, 60)}"`;
  const touches = (above: PageElement, below: PageElement) => {
    const [a, b] = [above.getBoundingClientRect(), below.getBoundingClientRect()];
    return a.left < b.right && b.left < a.right && Math.abs(b.top - a.bottom) < 2;
  };
  const cards = [...document.querySelectorAll("main section")];
  for (const [index, card] of cards.entries()) {
    const next = cards[index + 1];
    if (next !== undefined && touches(card, next)) faults.push(`the card ${nameOf(card)} touches the one below it`);
  }
  const excess = document.documentElement.scrollWidth - innerWidth;
  if (excess > 0) faults.push(`the page is ${excess} px wider than the window`);
  for (const element of document.querySelectorAll("body *")) {
    const { overflowX, overflowY, clipPath } = getComputedStyle(element);
    const isMeant = clipPath !== "none" || element.closest("nav") !== null || element.querySelector(":scope > pre");
    if (isMeant || element.clientWidth === 0) continue;
    const wider = element.scrollWidth - element.clientWidth;
    if (wider > 1 && overflowX !== "visible") faults.push(`${nameOf(element)} hides ${wider} px at its side`);
    const higher = element.scrollHeight - element.clientHeight;
    const isClipped = overflowY === "hidden" || overflowY === "clip";
    if (higher > 1 && isClipped) faults.push(`${nameOf(element)} hides ${higher} px at its end`);
    const card = element.closest("main section");
    if (card === null || element.closest("svg, pre") !== null) continue;
    const above = element.tagName === "BUTTON" ? element.previousElementSibling : null;
    if (above?.tagName === "BUTTON" && touches(above, element))
      faults.push(`${nameOf(above)} touches the button below it`);
    const outside = element.getBoundingClientRect().right - card.getBoundingClientRect().right;
    if (outside > 1) faults.push(`${nameOf(element)} sticks out of its card by ${Math.round(outside)} px`);
  }
  return faults;
}

type PageElement = {
  tagName: string;
  textContent: string | null;
  clientWidth: number;
  clientHeight: number;
  scrollWidth: number;
  scrollHeight: number;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  previousElementSibling: PageElement | null;
  getBoundingClientRect(): { left: number; right: number; top: number; bottom: number };
};
type PageWindow = {
  innerWidth: number;
  document: { documentElement: PageElement; querySelectorAll(selector: string): Iterable<PageElement> };
  getComputedStyle(element: PageElement): { overflowX: string; overflowY: string; clipPath: string };
};
