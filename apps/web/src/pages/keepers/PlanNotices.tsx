import { Link } from "@tanstack/react-router";
import { countOf } from "../../format/describeDays";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { Notice } from "../../states/Notice";
import { AddressLabel } from "../../ui/AddressLabel";
import type { Readiness } from "./readiness";

/** What stops the plan, and whom it leaves out, each with its reason. */
export function PlanNotices({ plan }: { plan: Pick<Readiness, "blockedBy" | "missed"> }) {
  const { blockedBy, missed } = plan;
  return (
    <>
      {blockedBy !== undefined && (
        <Notice tone="bad" title="remit() is blocked">
          <p>{blockedBy.revert.message}</p>
          {blockedBy.id !== undefined && (
            <p>
              It reverts at subscription{" "}
              <Link to="/subscriptions/$id" params={{ id: blockedBy.id }}>
                {blockedBy.id.slice(0, 10)}…
              </Link>
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
                <Link to="/subscriptions/$id" params={{ id }}>
                  {id.slice(0, 10)}…
                </Link>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
