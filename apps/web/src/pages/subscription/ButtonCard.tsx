import { useDuedayQuery } from "@dueday/sdk/react";
import type { ReactNode } from "react";
import { Answer } from "../../states/Answer";
import { ErrorState } from "../../states/ErrorState";
import { Card } from "../../ui/Card";
import { CodeBlock } from "../../ui/CodeBlock";
import { Disclosure } from "../../ui/Disclosure";
import { Stack } from "../../ui/Stack";
import { AllowedUrls } from "./AllowedUrls";
import type { OfSubscription } from "./ofSubscription";
import { SellerUrl } from "./SellerUrl";
import type { CheckoutSettings } from "./useCheckoutSettings";
import { useSaleLinks } from "./useSaleLinks";

/** The code of the button, and the seller's checkout settings: sites that may show the checkout, return pages, support page, paymaster. */
export function ButtonCard({ subscription: { id, provider } }: OfSubscription) {
  const { button } = useSaleLinks(id);
  const query = useDuedayQuery("getCheckout", { id });
  return (
    <Card
      title="Put the button on your site"
      note="Paste this code where the button should be, and allow your site to show the checkout in it."
    >
      <Stack>
        <CodeBlock label="the code of the button" text={button} />
        <AllowedUrls
          field="origins"
          seller={provider}
          label="Your site"
          hint="The address of its page, such as https://shop.example. It holds for all of your plans; your wallet signs a message, which costs nothing."
          action="Allow this site"
          stored={query.data?.frameOrigins ?? null}
          read={readOrigin}
        />
        <Disclosure summary="Send payers back by a link">
          <PrivateSettings seller={provider}>
            {(settings) => (
              <AllowedUrls
                field="returnUrls"
                seller={provider}
                label="Return page"
                hint="A link to the checkout with return_url brings payers back to this page, such as https://shop.example/thanks."
                action="Allow this page"
                stored={settings?.returnUrls ?? null}
                read={readPage}
              />
            )}
          </PrivateSettings>
        </Disclosure>
        <Disclosure summary="Support page, and network fees that you pay">
          <PrivateSettings seller={provider}>
            {(settings) => (
              <Stack>
                <SellerUrl
                  field="supportUrl"
                  seller={provider}
                  label="Support page"
                  hint="Where payers find help; the checkout links to it. Such as https://shop.example/help."
                  stored={settings?.supportUrl ?? null}
                />
                <SellerUrl
                  field="paymasterUrl"
                  seller={provider}
                  label="Paymaster"
                  hint="Pays the network's fee for payers whose wallet takes one (ERC-7677). Their wallets call it, this service never does; everyone can read it."
                  stored={settings?.paymasterUrl ?? null}
                />
              </Stack>
            )}
          </PrivateSettings>
        </Disclosure>
      </Stack>
    </Card>
  );
}

type PrivateSettingsProps = { seller: string; children(settings: CheckoutSettings | undefined): ReactNode };

/** Provides the settings that only a session of the seller can read. Without one they are undefined, and a change signs in first. */
function PrivateSettings({ seller, children }: PrivateSettingsProps) {
  const portal = useDuedayQuery("getPortalSession", {});
  const isSeller = portal.data?.session?.address.toLowerCase() === seller.toLowerCase();
  const settings = useDuedayQuery("getPortalCheckout", isSeller ? {} : null);
  return (
    <Answer query={portal} label="your session">
      {() => (
        // The forms stay while a change signs in.
        <>
          {settings.error !== null && (
            <ErrorState
              error={settings.error}
              title="Could not load your settings"
              onRetry={() => void settings.refetch()}
            />
          )}
          {children(settings.data)}
        </>
      )}
    </Answer>
  );
}

/** The origin of any URL of a site; null where the text is not one. */
function readOrigin(typed: string): string | null {
  return URL.canParse(typed) && /^https?:/i.test(typed) ? new URL(typed).origin : null;
}

function readPage(typed: string): string | null {
  return URL.canParse(typed) ? typed : null;
}
