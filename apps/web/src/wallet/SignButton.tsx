import { type ReactNode, useState } from "react";
import { useConnection, useSwitchChain } from "wagmi";
import { useInstallation } from "../config/ChainContext";
import { WrongChain } from "../states/WrongChain";
import { Button, type ButtonProps } from "../ui/Button";
import { describeFailure } from "./describeFailure";
import { FailureNotice } from "./FailureNotice";
import { WalletMenu } from "./WalletMenu";

export type SignButtonProps = {
  kind?: ButtonProps["kind"];
  /** Something is being signed. */
  isBusy: boolean;
  disabled?: boolean;
  /** What a click does. A button without it submits its form. */
  onSign?: (() => void) | undefined;
  children: ReactNode;
};

/** A button for something that the wallet signs. Without a wallet it connects one; on another chain it has the wallet switch first. */
export function SignButton({ kind = "primary", isBusy, disabled = false, onSign, children }: SignButtonProps) {
  const { address, chainId } = useConnection();
  const { chain } = useInstallation();
  const [isOpen, setOpen] = useState(false);
  if (address === undefined) {
    return <WalletMenu isOpen={isOpen} onOpen={() => setOpen(true)} onClose={() => setOpen(false)} />;
  }
  if (chainId !== chain.chainId) return <SwitchChain />;
  return (
    <Button
      kind={kind}
      type={onSign === undefined ? "submit" : "button"}
      disabled={disabled || isBusy}
      {...(onSign !== undefined && { onClick: onSign })}
    >
      {children}
    </Button>
  );
}

function SwitchChain() {
  const { chain } = useInstallation();
  const { mutate: switchChain, isPending, error } = useSwitchChain();
  return (
    <>
      <WrongChain
        chainName={chain.name}
        isPending={isPending}
        onSwitch={() => switchChain({ chainId: chain.chainId })}
      />
      {error !== null && <FailureNotice failure={describeFailure(error)} />}
    </>
  );
}
