import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { type FormEvent, useState } from "react";
import { formatInstant } from "../../format/formatDate";
import { latestErrorOf } from "../../portal/latestErrorOf";
import { usePortalAction } from "../../portal/usePortalAction";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { ErrorState } from "../../states/ErrorState";
import { type Column, DataTable } from "../../tables/DataTable";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmButton } from "../../ui/ConfirmButton";
import { Field } from "../../ui/Field";
import { Inset } from "../../ui/Inset";
import classes from "./Developers.module.css";
import { SecretOnce } from "./SecretOnce";

type Key = Operations["listPortalKeys"]["output"]["keys"][number];

/** The account's developer keys: creating, showing once, listing, revoking. */
export function KeysCard() {
  const keys = useDuedayQuery("listPortalKeys", {});
  const create = usePortalAction("createPortalKey", "listPortalKeys", "getPortalUsage");
  const revoke = usePortalAction("revokePortalKey", "listPortalKeys", "getPortalUsage");
  const [label, setLabel] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = label.trim();
    create.mutate(name === "" ? {} : { label: name }, { onSuccess: () => setLabel("") });
  };
  const error = latestErrorOf(create, revoke);
  return (
    <Card flush title="Keys" note="One key serves any number of programs; each key has its own limits.">
      <Inset>
        <form className={classes.form} onSubmit={submit}>
          <Field
            label="Name of a new key"
            placeholder="keeper in Frankfurt"
            maxLength={200}
            value={label}
            onChange={({ target }) => setLabel(target.value)}
          />
          {/* A second key would replace the first one on the page, which is shown only once. */}
          <Button kind="primary" type="submit" disabled={create.isPending || create.data !== undefined}>
            Create key
          </Button>
        </form>
        {create.data !== undefined && (
          <SecretOnce title="Your new key" label="the key" text={create.data.key} onClose={create.reset} />
        )}
        {error !== null && <ErrorState error={error} title="The keys were not changed" />}
      </Inset>
      <Answer query={keys} label="your keys" lines={3}>
        {(page) =>
          page.keys.length === 0 ? (
            <Empty title="You have no keys">
              Create the first one above. It is shown only once, so have a safe place to store it.
            </Empty>
          ) : (
            <DataTable
              label="Your keys"
              columns={columnsOf((id) => revoke.mutate({ id }), revoke.isPending)}
              rows={page.keys}
              rowKey={({ id }) => id}
            />
          )
        }
      </Answer>
    </Card>
  );
}

function columnsOf(onRevoke: (id: string) => void, isBusy: boolean): readonly Column<Key>[] {
  return [
    { key: "prefix", header: "Key", cell: ({ prefix }) => <code>{prefix}…</code> },
    { key: "label", header: "Name", cell: ({ label }) => <span className={classes.name}>{label ?? "—"}</span> },
    { key: "created", header: "Created", cell: ({ createdAt }) => formatInstant(createdAt) },
    {
      key: "used",
      header: "Last used",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formatInstant(lastUsedAt)),
    },
    {
      key: "state",
      header: "State",
      cell: ({ revokedAt }) => (revokedAt === null ? <Badge tone="good">active</Badge> : <Badge>revoked</Badge>),
    },
    {
      key: "revoke",
      header: "Actions",
      actions: true,
      cell: ({ id, revokedAt }) =>
        revokedAt === null && (
          <ConfirmButton
            label="Revoke"
            disabled={isBusy}
            question="Programs that use it will be refused."
            onConfirm={() => onRevoke(id)}
          />
        ),
    },
  ];
}
