import { type FormEvent, useState } from "react";
import { useLabels } from "../config/labels";
import { Button } from "../ui/Button";
import { FormField, FormFields } from "../ui/FormField";
import { cleanText } from "../ui/UntrustedText";
import {
  entriesOf,
  type FilterProps,
  filterLists,
  filterNames,
  listFault,
  MOST_ENTRIES,
  type PaymentFilter,
} from "./paymentFilter";

type ListName = (typeof filterNames)[number];
type Texts = Readonly<Record<ListName, string>>;
type Faults = Partial<Record<ListName, string>>;

/** Fields for the lists of a filter. */
export function FilterForm({ filter, onChange }: FilterProps) {
  const [texts, setTexts] = useState<Texts>(() => ({
    account: entriesOf(filter.account).join(", "),
    provider: entriesOf(filter.provider).join(", "),
    subscription: entriesOf(filter.subscription).join(", "),
  }));
  const [faults, setFaults] = useState<Faults>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next: PaymentFilter = {};
    const found: Faults = {};
    for (const name of filterNames) {
      const entries = entriesOf(texts[name]);
      const fault = listFault(name, entries);
      if (fault !== undefined) found[name] = fault;
      if (entries.length > 0) next[name] = entries.join(",");
    }
    setFaults(found);
    if (Object.keys(found).length === 0) onChange(next);
  };
  return (
    <form onSubmit={submit} noValidate>
      <FormFields
        actions={
          <Button type="submit" kind="primary">
            Show these
          </Button>
        }
      >
        {filterNames.map((name) => (
          <ListField
            key={name}
            name={name}
            text={texts[name]}
            fault={faults[name]}
            onChange={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
      </FormFields>
    </form>
  );
}

type ListFieldProps = { name: ListName; text: string; fault: string | undefined; onChange(text: string): void };

/** The entries of a list as a text. Addresses with a label can be added by it. */
function ListField({ name, text, fault, onChange }: ListFieldProps) {
  const labels = useLabels();
  const { title, bytes } = filterLists[name];
  const kinds = bytes === 20 ? "Addresses" : "Ids";
  return (
    <FormField
      label={title}
      hint={`${kinds} with commas or spaces between, up to ${MOST_ENTRIES}. Empty: all.`}
      fault={fault}
      wide
    >
      {(input) => (
        <>
          <textarea
            {...input}
            rows={2}
            spellCheck={false}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
          {bytes === 20 && labels.size > 0 && (
            <select
              className={input.className}
              aria-label={`Add to ${title.toLowerCase()} by label`}
              value=""
              onChange={({ target }) => onChange([...entriesOf(text), target.value].join(", "))}
            >
              <option value="">Add by label</option>
              {[...labels].map(([address, label]) => (
                <option key={address} value={address}>
                  {cleanText(label)}
                </option>
              ))}
            </select>
          )}
        </>
      )}
    </FormField>
  );
}
