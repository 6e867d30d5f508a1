import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { PlanLabel } from "../../ui/PlanLabel";
import { Stack } from "../../ui/Stack";
import type { PaidPlan } from "./health";
import classes from "./My.module.css";

export type PlanPanelProps = { title: string; plan: PaidPlan; onClose(): void; children: ReactNode };

/** A panel for an action on one plan, above the list in which the plan was chosen. It scrolls into view and takes the focus. */
export function PlanPanel({ title, plan: { id, name }, onClose, children }: PlanPanelProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: "center" });
    place.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div ref={place} tabIndex={-1} className={classes.place}>
      <Card
        title={title}
        note={<PlanLabel id={id} name={name} />}
        aside={
          <Button kind="plain" onClick={onClose}>
            Close
          </Button>
        }
      >
        <Stack>{children}</Stack>
      </Card>
    </div>
  );
}
