import { countOf } from "../../format/describeDays";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { usePlanNames } from "../../live/usePlanNames";
import { Notice } from "../../states/Notice";
import { AddressLabel } from "../../ui/AddressLabel";
import { PlanLabel } from "../../ui/PlanLabel";
import type { Readiness } from "./readiness";

/** Why the plan is blocked, and which subscriptions the protocol skips. */
export function PlanNotices({ plan }: { plan: Pick<Readiness, "blockedBy" | "missed"> }) {
  const { blockedBy, missed } = plan;
  const blocking = blockedBy?.id === undefined ? [] : [blockedBy.id];
  const names = usePlanNames([...blocking, ...missed.map(({ id }) => id)]);
  return (
    <>
      {blockedBy !== undefined && (
        <Notice tone="bad" title="remit() is blocked">
          <p>{blockedBy.revert.message}</p>
          {blockedBy.id !== undefined && (
            <p>
              It reverts at subscription <PlanLabel id={blockedBy.id} name={names.get(blockedBy.id)?.planName} />
              {blockedBy.subscriber !== undefined && (
                <>
                  , for the payment of <AddressLabel kind="address" value={blockedBy.subscriber} />
                </>
              )}
              .
            </p>
          )}
        </Notice>
      )}
      {missed.length > 0 && (
        <Notice tone="warn" title={`The protocol skips ${countOf(missed.length, "subscription")}`}>
          <p>Its paging closes these days without charging their subscribers:</p>
          <ul>
            {missed.map(({ id, dayNumber, subscribers }) => (
              <li key={`${id} ${dayNumber}`}>
                {formatDate(dateOfDay(dayNumber), "weekday")}: {countOf(subscribers, "subscriber")} of{" "}
                <PlanLabel id={id} name={names.get(id)?.planName} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
