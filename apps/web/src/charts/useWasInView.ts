import { type RefObject, useEffect, useState } from "react";

/** Whether the element has been in view, or nearly, since the page was opened. */
export function useWasInView(element: RefObject<Element | null>): boolean {
  const [wasInView, setWasInView] = useState(false);
  useEffect(() => {
    if (wasInView || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => setWasInView(entries.some((entry) => entry.isIntersecting)),
      {
        rootMargin: "100px",
      },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, wasInView]);
  return wasInView;
}
