import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/**
 * Whether a table does not fit into its frame. Judged before each paint, and again when the width of the frame changes. The table
 * may be laid out differently while it is too wide: how much it needs is remembered from before.
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
