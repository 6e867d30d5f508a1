import { useEffect, useRef, useState } from "react";

/** A button stays disabled for this time after it came into view: a click may have been meant for what was there before. */
const PAUSE_MS = 600;
/** How often the browser checks whether something covers the element; browsers allow no shorter interval. */
const LOOK_MS = 100;

/** IntersectionObserver v2, which not every browser has. */
type VisibilityOptions = IntersectionObserverInit & { trackVisibility: boolean; delay: number };
type VisibilityEntry = IntersectionObserverEntry & { isVisible?: boolean };

/**
 * Prevents clicks that were meant for something else: `isReady` is true once the element has been in view for a moment, and in a frame
 * only while nothing of the surrounding page covers it, where the browser can detect that.
 */
export function useClickGuard<E extends Element>() {
  const element = useRef<E>(null);
  const [isReady, setReady] = useState(false);
  const [isMounted, setMounted] = useState(false);
  // The element comes with the first answer, after the first render.
  useEffect(() => {
    if (element.current !== null) setMounted(true);
  });
  useEffect(() => {
    if (!isMounted || element.current === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isFramed = window.parent !== window;
    const observe = (entries: VisibilityEntry[]) => {
      const entry = entries.at(-1);
      if (entry === undefined) return;
      const isSeen = entry.isIntersecting && (!isFramed || entry.isVisible !== false);
      clearTimeout(timer);
      if (isSeen) timer = setTimeout(() => setReady(true), PAUSE_MS);
      else setReady(false);
    };
    const options: VisibilityOptions = { threshold: [0, 1], trackVisibility: true, delay: LOOK_MS };
    const observer = new IntersectionObserver(observe, options);
    observer.observe(element.current);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [isMounted]);
  return { element, isReady };
}
