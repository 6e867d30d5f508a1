import { useDuedayQuery } from "@dueday/sdk/react";
import type { Hex } from "viem";
import { formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { UntrustedText } from "../../ui/UntrustedText";

const DESCRIPTION_CHARACTERS = 600;

/** What the provider wrote about the subscription. It is not verified, so its url is text and not a link. */
export function DetailsCard({ id }: { id: Hex }) {
  const query = useDuedayQuery("getSubscriptionDetails", { id });
  return (
    <Card title="Details" note="Written by the provider; not verified.">
      <Answer query={query} label="the details">
        {({ details }) =>
          details === null ? (
            <Empty title="No details">The provider has published none.</Empty>
          ) : (
            <DefinitionList
              items={[
                [
                  "Description",
                  <UntrustedText key="text" text={details.description} most={DESCRIPTION_CHARACTERS} empty="none" />,
                ],
                ["Link", <UntrustedText key="url" text={details.url} empty="none" />],
                ["Last updated", details.updatedAt === null ? null : formatDate(details.updatedAt.slice(0, 10))],
                ["Length", details.truncated === true ? "cut to 4 KiB by the service" : null],
              ]}
            />
          )
        }
      </Answer>
    </Card>
  );
}
