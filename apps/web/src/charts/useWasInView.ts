import { type RefObject, useEffect, useState } from "react";

const NEARLY = "100px";

/** Whether the element has been in view, or nearly, since the page was opened. */
export function useWasInView(element: RefObject<Element | null>): boolean {
  const [wasInView, setWasInView] = useState(false);
  useEffect(() => {
    if (wasInView || element.current === null) return;
    const look = (entries: IntersectionObserverEntry[]) => setWasInView(entries.some((entry) => entry.isIntersecting));
    const observer = new IntersectionObserver(look, { rootMargin: NEARLY });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, wasInView]);
  return wasInView;
}
