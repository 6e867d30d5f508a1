import { Link, useNavigate } from "@tanstack/react-router";
import { AddressLookup } from "../../ui/AddressLookup";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { LazyOwnPageLink } from "../../wallet/LazyOwnPageLink";
import { wasConnected } from "../../wallet/wasConnected";
import classes from "./StartPage.module.css";

/** What Dueday is for, with two entries: one for sellers and one for payers. */
export function StartPage() {
  return (
    <Stack>
      <PageHeader
        title="Subscriptions, paid from wallet to wallet"
        lead="With Dueday you sell a subscription for a stablecoin: a customer approves it once, and each payment reaches your wallet on its day."
      />
      <div className={classes.doors}>
        <section className={classes.door} aria-labelledby="sell">
          <h2 id="sell">Sell a subscription</h2>
          <p>
            Name a plan and its price. You get a checkout page, a QR code and a button for your own site. It takes one
            transaction and no account.
          </p>
          <p>
            <Link to="/sell" className={classes.open}>
              Sell a subscription
            </Link>
          </p>
        </section>
        <section className={classes.door} aria-labelledby="pay">
          <h2 id="pay">What I pay</h2>
          <p>
            See what a wallet pays, when the next payment is due, and whether it will pass. Renew or leave at any time.
          </p>
          <OwnWallet />
        </section>
      </div>
      <p className={classes.others}>
        To collect payments for a fee, see <Link to="/keepers">what waits for a keeper</Link>. To build on Dueday, get{" "}
        <Link to="/developers">keys and webhooks</Link>.
      </p>
    </Stack>
  );
}

/** Opens the page of the reader's own wallet, or of any address. */
function OwnWallet() {
  const navigate = useNavigate();
  return (
    <>
      <div className={classes.own}>
        {wasConnected() ? (
          <LazyOwnPageLink to="/my">What I pay:</LazyOwnPageLink>
        ) : (
          <Link to="/my">With my wallet</Link>
        )}
      </div>
      <AddressLookup
        label="Address of a wallet"
        action="What it pays"
        onOpen={(address) => void navigate({ to: "/my", search: (before) => ({ ...before, account: address }) })}
      />
    </>
  );
}
