import { type FormEvent, useState } from "react";
import { LABEL_CHARACTERS, readLabels, setLabel, useLabels } from "../config/labels";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { FormFields } from "../ui/FormField";
import { shorten } from "../ui/shorten";
import { cleanText } from "../ui/UntrustedText";
import classes from "./LabelEditor.module.css";
import { type LabelFaults, labelFaults } from "./labelFaults";

/** Gives an address a label, and lists the existing labels. @param address filled in at first, or empty */
export function LabelEditor({ address, onDone }: { address: string; onDone(): void }) {
  const labels = useLabels();
  const [value, setValue] = useState({ address, text: labels.get(address.toLowerCase()) ?? "" });
  const [faults, setFaults] = useState<LabelFaults>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = labelFaults(readLabels(), value);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    setLabel(value.address, cleanText(value.text));
    onDone();
  };
  return (
    <div className={classes.editor}>
      <form onSubmit={submit} noValidate>
        <FormFields
          actions={
            <Button type="submit" kind="primary">
              Save
            </Button>
          }
        >
          <Field
            label="Address"
            fault={faults.address}
            wide
            value={value.address}
            onChange={({ target }) => setValue({ ...value, address: target.value.trim() })}
          />
          <Field
            label="Label"
            hint={`Up to ${LABEL_CHARACTERS} characters.`}
            fault={faults.text}
            wide
            value={value.text}
            onChange={({ target }) => setValue({ ...value, text: target.value })}
          />
        </FormFields>
      </form>
      <p className={classes.note}>
        Labels are shown in place of addresses, in this browser alone. They are stored here, are sent nowhere, and are
        not printed.
      </p>
      {labels.size > 0 && (
        <ul className={classes.list} aria-label="Your labels">
          {[...labels].map(([labelled, text]) => (
            <li key={labelled} className={classes.entry}>
              <span className={classes.name}>
                <bdi>{cleanText(text)}</bdi> <code title={labelled}>{shorten(labelled)}</code>
              </span>
              <Button
                kind="plain"
                aria-label={`Change ${cleanText(text)}`}
                onClick={() => setValue({ address: labelled, text })}
              >
                Change
              </Button>
              <Button kind="plain" aria-label={`Remove ${cleanText(text)}`} onClick={() => setLabel(labelled, "")}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
