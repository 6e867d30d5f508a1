import { type ReactNode, useState } from "react";
import { useConnection } from "wagmi";
import { WalletMenu } from "../../wallet/WalletMenu";
import { MyAccount } from "./MyAccount";

export type ConnectedAccountProps = {
  /** Shown without a connected wallet. `connect` is the button that connects one. */
  none(connect: ReactNode): ReactNode;
};

/** The account of the connected wallet. */
export function ConnectedAccount({ none }: ConnectedAccountProps) {
  const { address } = useConnection();
  const [isOpen, setOpen] = useState(false);
  if (address !== undefined) return <MyAccount key={address} address={address} />;
  return none(<WalletMenu isOpen={isOpen} onOpen={() => setOpen(true)} onClose={() => setOpen(false)} />);
}
