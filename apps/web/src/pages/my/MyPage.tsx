import { useNavigate, useSearch } from "@tanstack/react-router";
import { isHexOf } from "../../format/isHexOf";
import { NotHex } from "../../states/NotHex";
import { AddressLookup } from "../../ui/AddressLookup";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Columns, Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import { MyAccount } from "./MyAccount";

const TITLE = "What I pay";

const ConnectedAccount = lazyWallet(
  "your wallet",
  () => import("./ConnectedAccount").then((module) => module.ConnectedAccount),
  () => <NoAccount connect={<Button disabled>Connect wallet</Button>} />,
);

/** All plans that one account pays, and what keeps them paid. It is the account in the address (`?account=`), else that of the connected wallet. */
export function MyPage() {
  const { account } = useSearch({ from: "/my" });
  if (account === undefined) return <ConnectedAccount none={(connect) => <NoAccount connect={connect} />} />;
  if (!isHexOf(20, account)) return <NotHex title={TITLE} text={account} kind="an address" />;
  // The key gives each account its own state: texts, choices and confirmations of another one must not be shown here.
  return <MyAccount key={account} address={account} />;
}

function NoAccount({ connect }: { connect: React.ReactNode }) {
  const navigate = useNavigate();
  return (
    <Stack>
      <PageHeader
        title={TITLE}
        lead="Every plan that a wallet pays: the next charge, how long it is covered, and what to repair."
      />
      <Columns>
        <Card title="My wallet">{connect}</Card>
        <Card title="Any account" note="Everything that is shown is public. Only the account itself can change it.">
          <AddressLookup
            label="Address of a wallet"
            action="What it pays"
            onOpen={(account) => void navigate({ to: "/my", search: (before) => ({ ...before, account }) })}
          />
        </Card>
      </Columns>
    </Stack>
  );
}
