import { afterAll, expect, test } from "bun:test";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { operations } from "../../operations/operations";

const { api, argumentsOf, stop } = await startDemoApi();
const mcp = await connectMcp(api);
afterAll(async () => {
  await mcp.close();
  await stop();
});

/** What a person asks for, and the calls of the way that succeeds: tools in order, as their descriptions suggest. */
const tasks: Readonly<Record<string, readonly string[]>> = {
  "create a plan": ["list_approved_tokens", "prepare_create_subscription"],
  "subscribe a wallet": ["get_subscription", "check_subscribe_readiness_by_id", "prepare_subscribe_by_id"],
  "who of my subscribers will fail": ["get_subscribers", "get_remit_forecast"],
  "who of all my subscribers will fail": ["list_at_risk"],
  "what will I be charged": ["get_account_charges"],
  "what would I pay": ["get_checkout"],
  "is a renewal on file": ["list_account_permits"],
  "why is the data old": ["get_status"],
  "repair an allowance": ["get_account", "prepare_approve"],
  "settle if it pays": ["get_remit_readiness", "prepare_remit", "get_transaction_status"],
  "cancel a plan": ["get_subscription", "prepare_cancel_subscription_by_id"],
  "what did I earn": ["get_provider_income"],
  "who came and who left": ["get_provider_metrics", "get_provider_cohorts"],
  "change my profile": ["get_provider_profile", "prepare_edit_provider_profile"],
  "what is due today": ["get_subscriptions_due"],
  "is my transaction confirmed": ["get_transaction_status"],
};

const MOST_TOKENS = 5_000;

/** Arguments that the demo chain can answer; the example has what it does not know, such as texts. */
function argumentsFor(tool: string): Record<string, unknown> {
  const operation = operations.find(({ name }) => name === tool);
  if (operation === undefined) throw new Error(`there is no tool ${tool}`);
  const { address, ...given } = { ...operation.example, ...argumentsOf(operation) };
  return address === undefined ? given : { ...given, account: address };
}

test.each(Object.entries(tasks))(
  `"%s" costs an agent at most ${MOST_TOKENS} tokens of calls and answers`,
  async (task, calls) => {
    let tokens = 0;
    for (const tool of calls) {
      const given = argumentsFor(tool);
      const { isError, text } = await mcp.call(tool, given);
      expect([tool, isError, text]).toEqual([tool, false, text]);
      tokens += countTokens(JSON.stringify(given)) + countTokens(text);
    }
    console.log(`${task}: ${tokens} tokens in ${calls.length} calls`);
    expect(tokens).toBeLessThanOrEqual(MOST_TOKENS);
  },
);
