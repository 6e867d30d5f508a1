import { AddressLabel } from "./AddressLabel";
import classes from "./PlanLabel.module.css";
import { UntrustedText } from "./UntrustedText";
import { VerifiedBadge } from "./VerifiedBadge";

const NAME_CHARACTERS = 60;

export type SellerLabelProps = {
  address: string;
  /** Undefined where it is not known (yet). */
  seller: { name: string | null; verified: boolean } | undefined;
};

/** A seller by its name, and whether a domain confirms the name, with the address as secondary text. */
export function SellerLabel({ address, seller }: SellerLabelProps) {
  const name = seller?.name ?? null;
  return (
    <span className={classes.label}>
      {name !== null && (
        <>
          <UntrustedText text={name} most={NAME_CHARACTERS} />
          <VerifiedBadge isVerified={seller?.verified === true} />
        </>
      )}
      <span className={name === null ? undefined : classes.hex}>
        <AddressLabel value={address} kind="address" />
      </span>
    </span>
  );
}
