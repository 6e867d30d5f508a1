import qrcode from "qrcode-generator";
import { useMemo } from "react";
import { Card } from "../../ui/Card";
import { CopyButton } from "../../ui/CopyButton";
import classes from "./ShareCard.module.css";
import { useSaleLinks } from "./useSaleLinks";

/** Free modules around a code, which scanners need. */
const QUIET = 4;

/** The address of a plan's checkout, as a link, as text to copy and as a code that a phone reads. */
export function ShareCard({ id }: { id: string }) {
  const { checkout } = useSaleLinks(id);
  return (
    <Card title="Share the checkout" note="Anybody who opens it sees the plan, and can subscribe with a wallet.">
      <div className={classes.share}>
        <QrCode text={checkout} />
        <p className={classes.link}>
          <a href={checkout}>{checkout}</a> <CopyButton text={checkout} label="Copy the link of the checkout" />
        </p>
      </div>
    </Card>
  );
}

function QrCode({ text }: { text: string }) {
  const { path, size } = useMemo(() => drawCode(text), [text]);
  return (
    <svg
      role="img"
      aria-label="QR code of the checkout"
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
