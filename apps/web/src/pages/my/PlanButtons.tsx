import { useConnection } from "wagmi";
import { Button } from "../../ui/Button";
import { SignButton, type SignButtonProps } from "../../wallet/SignButton";
import classes from "./My.module.css";
import { OtherAccount } from "./OtherAccount";

export type PlanButtonsProps = Pick<SignButtonProps, "kind" | "isBusy" | "disabled" | "onSign" | "children"> & {
  /** The account that pays the plan. Only this account may sign. */
  account: string;
  onClose(): void;
};

/** The buttons at the end of a plan's panel: one signs, and one keeps the plan as it is. */
export function PlanButtons({ account, onClose, isBusy, children, ...props }: PlanButtonsProps) {
  const { address } = useConnection();
  if (address !== undefined && address.toLowerCase() !== account.toLowerCase())
    return <OtherAccount account={account} connected={address} />;
  return (
    <p className={classes.buttons}>
      <SignButton isBusy={isBusy} connects {...props}>
        {children}
      </SignButton>
      <Button disabled={isBusy} onClick={onClose}>
        Keep it
      </Button>
    </p>
  );
}
