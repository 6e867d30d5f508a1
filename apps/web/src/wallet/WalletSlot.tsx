import { useState } from "react";
import { lazyPart } from "../states/lazyPart";
import { Button } from "../ui/Button";
import type { WalletMenuProps } from "./WalletMenu";
import { useWasConnected } from "./wasConnected";

/** The wallet in the header. Its code is loaded when the reader asks for it, or where a wallet was connected in this browser. */
export function WalletSlot() {
  const wasConnected = useWasConnected();
  const [isAsked, setAsked] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setAsked(true);
    setOpen(true);
  };
  if (!isAsked && !wasConnected) return <ConnectButton onOpen={open} />;
  return <WalletMenu isOpen={isOpen} onOpen={open} onClose={() => setOpen(false)} />;
}

const WalletMenu = lazyPart<WalletMenuProps>(
  "the wallet",
  () => import("./WalletMenu").then((module) => module.WalletMenu),
  ConnectButton,
);

function ConnectButton({ onOpen }: Pick<WalletMenuProps, "onOpen">) {
  return (
    <Button onClick={onOpen} onPointerEnter={() => void WalletMenu.preload()}>
      Connect wallet
    </Button>
  );
}
