import { Button } from "../ui/Button";
import { Notice } from "./Notice";

export type WrongChainProps = { chainName: string; isPending?: boolean; onSwitch(): void };

/** The wallet is on another chain than the page. */
export function WrongChain({ chainName, isPending = false, onSwitch }: WrongChainProps) {
  const action = (
    <Button kind="primary" disabled={isPending} onClick={onSwitch}>
      {isPending ? "Confirm in your wallet" : `Switch to ${chainName}`}
    </Button>
  );
  return (
    <Notice tone="warn" title={`Your wallet is not on ${chainName}`} action={action}>
      A transaction for this page would be sent to another chain. Nothing is signed until the wallet is switched.
    </Notice>
  );
}
