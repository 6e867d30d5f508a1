import { type ReactNode, useState } from "react";
import { useConnection, useConnectors, useSwitchChain } from "wagmi";
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
  /** `onSign` connects the wallet itself, as `useWalletAction` does: where this browser has exactly one, the button is shown before it is connected. Default: false. */
  connects?: boolean;
  /** Called on a click. A button without it submits its form. */
  onSign?: (() => void) | undefined;
  /** For a button whose text alone does not identify what is signed. */
  "aria-label"?: string;
  children: ReactNode;
};

/**
 * A button for something that the wallet signs. Without a connected wallet the menu of wallets takes its place; on another chain, a notice with a
 * button that asks the wallet to switch.
 */
export function SignButton({
  kind = "primary",
  isBusy,
  disabled = false,
  connects = false,
  onSign,
  "aria-label": label,
  children,
}: SignButtonProps) {
  const { address, chainId } = useConnection();
  const { chain } = useInstallation();
  const connectors = useConnectors();
  const [isOpen, setOpen] = useState(false);
  const isConnected = address !== undefined;
  if (!isConnected && !(connects && connectors.length === 1)) {
    return <WalletMenu isOpen={isOpen} onOpen={() => setOpen(true)} onClose={() => setOpen(false)} />;
  }
  if (isConnected && chainId !== chain.chainId) return <SwitchChain />;
  return (
    <Button
      kind={kind}
      type={onSign === undefined ? "submit" : "button"}
      disabled={disabled || isBusy}
      aria-label={label}
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
