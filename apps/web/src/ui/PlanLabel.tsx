import { Link } from "@tanstack/react-router";
import classes from "./PlanLabel.module.css";
import { ShortHex } from "./ShortHex";
import { UntrustedText } from "./UntrustedText";

const NAME_CHARACTERS = 60;

export type PlanLabelProps = {
  id: string;
  /** Undefined where it is not known (yet). */
  name: string | undefined;
};

/** A plan by its name, as a link to its page, with the id as secondary text. */
export function PlanLabel({ id, name }: PlanLabelProps) {
  return (
    <span className={classes.label}>
      <Link to="/subscriptions/$id" params={{ id }}>
        {name === undefined ? <ShortHex value={id} /> : <UntrustedText text={name} most={NAME_CHARACTERS} />}
      </Link>
      {name !== undefined && (
        <span className={classes.hex}>
          <ShortHex value={id} />
        </span>
      )}
    </span>
  );
}
