import { useProviderProfile } from "@dueday/sdk/react";
import type { Address } from "viem";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { SourceLink } from "../../ui/SourceLink";
import { UntrustedText } from "../../ui/UntrustedText";
import { lazyWithWallet } from "../../wallet/lazyWithWallet";
import { profileFields } from "./profileFields";

const EditProfileCard = lazyWithWallet("your profile", () =>
  import("./EditProfileCard").then((module) => module.EditProfileCard),
);

/** What a provider has written about itself. It is not verified: addresses are text and not links. */
export function ProfileCard({ address }: { address: Address }) {
  const query = useProviderProfile({ address });
  return (
    <>
      <Card
        title="Profile"
        note="Written by the provider; not verified."
        footer={query.data?.asOf && <SourceLink asOf={query.data.asOf} />}
      >
        <Answer query={query} label="the profile" lines={5}>
          {({ latestProfile, error }) =>
            latestProfile === null ? (
              <Empty title="No profile">{error ?? "The provider has published none."}</Empty>
            ) : (
              <DefinitionList
                items={profileFields.map(([key, name]) => [
                  name,
                  <UntrustedText key={key} text={latestProfile[key]} empty="none" />,
                ])}
              />
            )
          }
        </Answer>
      </Card>
      {query.data !== undefined && <EditProfileCard address={address} profile={query.data.latestProfile} />}
    </>
  );
}
