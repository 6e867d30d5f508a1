import { lazy, Suspense, useState } from "react";
import { Button } from "../ui/Button";
import { wasConnected } from "./wasConnected";

const load = () => import("./WalletMenu");
const WalletMenu = lazy(() => load().then((module) => ({ default: module.WalletMenu })));

/** The wallet in the header. Its code is loaded when the reader asks for it, or had a wallet connected before. */
export function WalletSlot() {
  const [isWanted, setWanted] = useState(wasConnected);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setWanted(true);
    setOpen(true);
  };
  const button = (
    <Button onClick={open} onPointerEnter={() => void load()}>
      Connect wallet
    </Button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <WalletMenu isOpen={isOpen} onOpen={open} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
