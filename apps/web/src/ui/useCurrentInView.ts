import { type RefObject, useEffect } from "react";

/** Scrolls a list of links sideways so that the current one is seen: when another one becomes current, and when the width changes. */
export function useCurrentInView(list: RefObject<HTMLElement | null>, current: string): void {
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const show = () => {
      const link = element.querySelector("[aria-current]")?.getBoundingClientRect();
      if (link === undefined) return;
      const frame = element.getBoundingClientRect();
      element.scrollLeft += link.left + link.width / 2 - (frame.left + frame.width / 2);
    };
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [list, current]);
}
