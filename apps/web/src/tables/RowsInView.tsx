import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The rows of a long table that are rendered, and the space around them. */
export type RowView = {
  indexes: readonly number[];
  /** Heights in pixels that stand in for the rows above and below. */
  before: number;
  after: number;
  /** The element that scrolls, and the first rendered row; absent until the code that measures them is loaded. */
  refs?: { frame: RefObject<HTMLElement | null>; sample: RefObject<HTMLTableRowElement | null> };
};

export type RowsInViewProps = {
  count: number;
  /** Assumed height of a row in pixels, until one is measured. */
  estimate: number;
  /** Rows that are rendered beyond those in view. */
  ahead: number;
  children(view: RowView): ReactNode;
};

/** Renders a long table with the rows in view alone. */
export function RowsInView({ count, estimate, ahead, children }: RowsInViewProps) {
  const frame = useRef<HTMLElement>(null);
  const sample = useRef<HTMLTableRowElement>(null);
  const measuredAt = useRef(0);
  const [rowHeight, setRowHeight] = useState(estimate);
  const { getVirtualItems, getTotalSize, measure } = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: ahead,
  });
  // The rows of a long table are alike, so one of them is measured at each width: cards are higher than lines.
  useLayoutEffect(() => {
    const width = frame.current?.clientWidth ?? 0;
    const height = sample.current?.offsetHeight ?? 0;
    if (height === 0 || width === measuredAt.current) return;
    measuredAt.current = width;
    setRowHeight(height);
  });
  useLayoutEffect(measure, [rowHeight]);
  const items = getVirtualItems();
  return children({
    indexes: items.map(({ index }) => index),
    before: items[0]?.start ?? 0,
    after: getTotalSize() - (items.at(-1)?.end ?? 0),
    refs: { frame, sample },
  });
}
