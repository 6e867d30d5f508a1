import qrcode from "qrcode-generator";
import { useMemo } from "react";
import classes from "./QrCode.module.css";

/** Free modules around a code, which scanners need. */
const QUIET = 4;

/** A text as a code that the camera of a phone reads. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => drawCode(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`}
      shapeRendering="crispEdges"
      className={classes.code}
    >
      <rect x={-QUIET} y={-QUIET} width={size + 2 * QUIET} height={size + 2 * QUIET} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** One square for each dark module. */
function drawCode(text: string): { path: string; size: number } {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const cells = Array.from({ length: size * size }, (_, index) => [Math.floor(index / size), index % size] as const);
  const dark = cells.filter(([row, column]) => code.isDark(row, column));
  return { path: dark.map(([row, column]) => `M${column} ${row}h1v1h-1z`).join(""), size };
}
