import { lazyPart } from "../../states/lazyPart";
import { Card } from "../../ui/Card";
import { CopyButton } from "../../ui/CopyButton";
import classes from "./ShareCard.module.css";
import { useSaleLinks } from "./useSaleLinks";

const QrCode = lazyPart(
  "the QR code",
  () => import("../../ui/QrCode").then((module) => module.QrCode),
  () => <div className={classes.code} />,
);

/** The address of a plan's checkout, as a link, as text to copy and as a code that a phone reads. */
export function ShareCard({ id }: { id: string }) {
  const { checkout } = useSaleLinks(id);
  return (
    <Card title="Share the checkout" note="Anybody who opens it sees the plan, and can subscribe with a wallet.">
      <div className={classes.share}>
        <QrCode text={checkout} label="QR code of the checkout" />
        <p className={classes.link}>
          <a href={checkout}>{checkout}</a> <CopyButton text={checkout} label="Copy the link of the checkout" />
        </p>
      </div>
    </Card>
  );
}
