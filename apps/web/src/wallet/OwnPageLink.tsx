import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useConnection } from "wagmi";
import { ShortHex } from "../ui/ShortHex";
import { WalletMenu } from "./WalletMenu";

export type OwnPageLinkProps = { to: "/my" | "/accounts/$address" | "/providers/$address"; children: string };

/** Leads to the page about the connected wallet; without a wallet it connects one. */
export function OwnPageLink({ to, children }: OwnPageLinkProps) {
  const { address } = useConnection();
  const [isOpen, setOpen] = useState(false);
  if (address === undefined) {
    return <WalletMenu isOpen={isOpen} onOpen={() => setOpen(true)} onClose={() => setOpen(false)} />;
  }
  return (
    <Link to={to} params={{ address }}>
      {children} <ShortHex value={address} />
    </Link>
  );
}
