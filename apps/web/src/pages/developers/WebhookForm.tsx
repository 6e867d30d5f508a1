import type { DuedayEvent } from "@dueday/sdk";
import { type FormEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { isHexOf } from "../../format/isHexOf";
import { usePortalAction } from "../../portal/usePortalAction";
import { ErrorState } from "../../states/ErrorState";
import { Button } from "../../ui/Button";
import { Disclosure } from "../../ui/Disclosure";
import { Field } from "../../ui/Field";
import { Inset } from "../../ui/Inset";
import { asHex } from "../../wallet/asHex";
import classes from "./Developers.module.css";
import { eventTypeNames } from "./eventTypeNames";
import { SecretOnce } from "./SecretOnce";

type EventType = DuedayEvent["type"];
type Filter = { provider?: string; subscription?: string; subscriber?: string };

const ADDRESS = "an address: 0x followed by 40 hex digits";
/** Each part of a filter: its key, its label, its size in bytes, and its format in words. */
const FILTERS = [
  ["provider", "Provider", 20, ADDRESS],
  ["subscription", "Plan", 32, "the id of a plan: 0x followed by 64 hex digits"],
  ["subscriber", "Subscriber", 20, ADDRESS],
] as const;

// Object.keys is typed as string[]; the keys are exactly the event types.
const TYPES = Object.keys(eventTypeNames) as EventType[];

/** The form that adds a webhook: its URL, the event types, and a filter. */
export function WebhookForm() {
  const create = usePortalAction("createWebhook", "listWebhooks");
  const [url, setUrl] = useState("");
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const [filter, setFilter] = useState<Filter>({});
  const [isJudged, setJudged] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const faults = FILTERS.flatMap(([key, , bytes, form]) => {
    const text = filter[key];
    return text === undefined || isHexOf(bytes, text)
      ? []
      : [[key, `Must be ${form}. Leave it empty for all.`] as const];
  });
  const faultOf = new Map<string, string>(isJudged ? faults : []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    // The faults are in the closed part, whose fields are made when it opens.
    flushSync(() => {
      setJudged(faults.length > 0);
      if (faults.length > 0) setChoosing(true);
    });
    if (faults.length > 0) return form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    const onSuccess = () => {
      setUrl("");
      setTypes([]);
      setFilter({});
    };
    create.mutate({ url, filter: hexFilter(filter), ...(types.length > 0 && { types: [...types] }) }, { onSuccess });
  };
  const setPart = (key: keyof Filter, text: string) => {
    const { [key]: _, ...others } = filter;
    setFilter(text === "" ? others : { ...others, [key]: text });
  };
  return (
    <Inset>
      <form className={classes.parts} onSubmit={submit}>
        <Field
          label="URL of a new webhook"
          type="url"
          required
          placeholder="https://example.com/hooks/dueday"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <Disclosure summary="Only some events" open={isChoosing} onToggle={setChoosing}>
          <div className={classes.parts}>
            <TypeChoice chosen={types} onChange={setTypes} />
            <div className={classes.form}>
              {FILTERS.map(([key, label]) => (
                <Field
                  key={key}
                  label={`${label}, or all`}
                  placeholder="0x"
                  value={filter[key] ?? ""}
                  fault={faultOf.get(key) ?? null}
                  onChange={({ target }) => setPart(key, target.value.trim())}
                />
              ))}
            </div>
          </div>
        </Disclosure>
        <p>
          {/* A second webhook's secret would replace the first one, which is shown only once. */}
          <Button kind="primary" type="submit" disabled={create.isPending || create.data !== undefined}>
            Add webhook
          </Button>
        </p>
      </form>
      {create.data !== undefined && (
        <SecretOnce title="The signing secret" label="the secret" text={create.data.secret} onClose={create.reset} />
      )}
      {create.error !== null && <ErrorState error={create.error} title="The webhook was not added" />}
    </Inset>
  );
}

/** The filter as the service accepts it, from texts that were checked. */
function hexFilter(texts: Filter) {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, asHex(text)]));
}

type TypeChoiceProps = { chosen: readonly EventType[]; onChange(types: readonly EventType[]): void };

/** Check boxes for the types of events, each with its meaning. If none is chosen, all are sent. */
function TypeChoice({ chosen, onChange }: TypeChoiceProps) {
  const id = useId();
  const toggle = (type: EventType) =>
    onChange(chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type]);
  return (
    <fieldset className={classes.types}>
      <legend>Event types, or all</legend>
      {TYPES.map((type) => (
        <label key={type} htmlFor={`${id}-${type}`} className={classes.type}>
          <input id={`${id}-${type}`} type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
          <span>
            {eventTypeNames[type]} <code>{type}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
