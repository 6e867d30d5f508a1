import { Card } from "../../ui/Card";
import { CodeBlock } from "../../ui/CodeBlock";
import classes from "./Developers.module.css";

/** The first request with a key, by curl and by the SDK, and where to read on. */
export function QuickStartCard() {
  const { origin } = location;
  const curl = `curl -H "Authorization: Bearer $DUEDAY_KEY" ${origin}/remit/readiness`;
  const sdk = [
    'import { createDueday } from "@dueday/sdk";',
    "",
    `const dueday = createDueday({ baseUrl: "${origin}", apiKey: process.env.DUEDAY_KEY });`,
    "const { results } = await dueday.getSubscriptionsDue({ frequency: 1 });",
  ].join("\n");
  const webhook = [
    'import { verifyWebhook } from "@dueday/sdk/webhooks";',
    "",
    "const event = await verifyWebhook(request, process.env.WEBHOOK_SECRET);",
  ].join("\n");
  return (
    <Card
      title="Quick start"
      note={
        <>
          Every operation is in the <a href="/docs">reference</a>; <a href="/openapi.json">OpenAPI</a> and{" "}
          <a href="/llms.txt">a text version for agents</a> are made from the same list.
        </>
      }
    >
      <div className={classes.parts}>
        <CodeBlock label="a request with curl" text={curl} />
        <CodeBlock label="the same kind of request with the SDK" text={sdk} />
        <CodeBlock label="checking a webhook" text={webhook} />
      </div>
    </Card>
  );
}
