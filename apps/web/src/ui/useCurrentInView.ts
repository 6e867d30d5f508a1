import { type RefObject, useEffect } from "react";

/** Tolerance of a scroll position, which is not a whole number where the page is zoomed. */
const ROUNDING_PX = 1;

/**
 * Scrolls a list of links sideways so that the current link is in view: when another link becomes current, and when the width changes.
 * Sets the attributes `data-more-before` and `data-more-after` on the list while links before or after are out of view.
 */
export function useCurrentInView(list: RefObject<HTMLElement | null>, current: string): void {
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      element.toggleAttribute("data-more-before", scrollLeft > ROUNDING_PX);
      element.toggleAttribute("data-more-after", scrollWidth - clientWidth - scrollLeft > ROUNDING_PX);
    };
    const show = () => {
      const link = element.querySelector("[aria-current]")?.getBoundingClientRect();
      if (link !== undefined) {
        const frame = element.getBoundingClientRect();
        element.scrollLeft += link.left + link.width / 2 - (frame.left + frame.width / 2);
      }
      mark();
    };
    const observer = new ResizeObserver(show);
    observer.observe(element);
    element.addEventListener("scroll", mark, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", mark);
    };
  }, [list, current]);
}
