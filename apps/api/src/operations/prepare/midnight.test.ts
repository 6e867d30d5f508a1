import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { prepareFully } from "@dueday/api/test/walkPrepare";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { createSubscription, fund, warpTo } from "@dueday/devnet/scenarios/actions";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { parseEther, parseUnits } from "viem";

/** Tuesday, 22 September 2026, 00:00. */
const MIDNIGHT = 20_718 * DAY_SECONDS;
const MONDAY = 1;

const database = await createTestDatabase();
const protocol = await startProtocol({ now: MIDNIGHT - 1_000 });
const token = await protocol.token("HUSD", 6);
const provider = protocol.person(0).address;
const payer = protocol.person(1).address;
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ database, rpcUrl: protocol.url, contract: protocol.contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

test("in the last second of a day the initial charge and the simulation are of the same day, and a second later of the next", async () => {
  const details = { url: "", description: "" };
  const terms = { amount: parseEther("70"), token, details, frequency: 0, dueDay: MONDAY };
  const id = await createSubscription(protocol, provider, terms);
  await fund(protocol, token, payer, parseUnits("1000", 6), 0n);

  async function charges() {
    const body = { from: payer, id };
    const readiness = await callApi(api, "/check_subscribe_readiness_by_id", { method: "POST", body });
    const { simulation, preflight } = await prepareFully(api, "subscribe_by_id", body);
    const taken = simulation.results[1]?.assetChanges.find(({ account }) => account === payer);
    expect(preflight).toMatchObject({ initialCharge: { totalRaw: taken?.amountRaw } });
    expect(readiness.body.initialCharge).toMatchObject({ totalRaw: taken?.amountRaw });
    return taken?.amount;
  }

  await warpTo(protocol, MIDNIGHT - 1);
  // The due day itself, still open: only the keeper's share.
  expect(await charges()).toBe("0.175");
  await warpTo(protocol, MIDNIGHT + 1);
  // Six of seven days.
  expect(await charges()).toBe("60");
});
