import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/**
 * Whether a table does not fit into its frame. Measured after each render, before the browser paints, and when the width of the frame
 * changes. The table may be laid out differently while it is too wide, so its width is remembered from the last layout that fitted.
 */
export function useIsTooWide(frame: RefObject<HTMLElement | null>, table: RefObject<HTMLElement | null>): boolean {
  const [isTooWide, setTooWide] = useState(false);
  const needed = useRef(0);
  const judge = () => {
    if (!isTooWide) needed.current = table.current?.offsetWidth ?? 0;
    setTooWide(needed.current > (frame.current?.clientWidth ?? 0));
  };
  const latest = useRef(judge);
  latest.current = judge;
  useLayoutEffect(() => latest.current());
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return isTooWide;
}
