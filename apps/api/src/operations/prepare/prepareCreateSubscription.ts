import { readTokenTerms } from "@dueday/chain/reads/readTokenTerms";
import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { frequencyLabel, toFrequency } from "@dueday/core/calendar/frequency";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import { encodeCreateSubscription } from "@dueday/core/calldata/encodeCreateSubscription";
import {
  Address,
  CalendarDate,
  DecimalString,
  Frequency,
  FrequencyLabel,
  IntegerString,
  UntrustedText,
} from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { detailsInBody } from "./detailsInput";
import { preflight } from "./preflight";
import { singleAnswer } from "./prepareAnswer";
import { prepareCommon } from "./prepareCommon";
import { prepareInput } from "./prepareInput";
import { prepareTransaction } from "./prepareTransaction";
import { requireCreatable } from "./requireCreatable";
import { detailsWarnings } from "./requireDetails";
import { exampleFrom } from "./subscriptionInput";

const NAME = "prepare_create_subscription";

const CreatePreflight = preflight({
  token: Address,
  tokenSymbol: UntrustedText,
  amount: DecimalString,
  amountRaw: IntegerString,
  tokenDecimals: Type.Integer({ minimum: 0, maximum: 255 }),
  minimum: DecimalString,
  minimumRaw: IntegerString,
  frequency: Frequency,
  frequencyLabel: FrequencyLabel,
  dueDay: Type.Integer({ minimum: 1, maximum: 365 }),
  nextDueDate: CalendarDate,
});

export const prepareCreateSubscription = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/create_subscription" },
  summary: "Unsigned creation of a subscription by its provider",
  description:
    "Unsigned createSubscription(). amount is in whole tokens and must be one that the token can express, at least the token's " +
    "minimum. dueDay is 1..7 weekly (1 = Monday), 1..28 monthly, 1..90 quarterly, 1..365 yearly. The id of the new subscription " +
    "depends on the block that holds it, so it is null in simulation: take it from the event Create of the confirmed transaction.",
  input: Type.Object({
    ...prepareInput,
    amount: inBody(Type.String({ maxLength: 200, description: 'Whole tokens as a decimal string, e.g. "12.50"' })),
    token: inBody({ ...Address, description: "An approved ERC-20 token" }),
    ...detailsInBody,
    frequency: inBody(Frequency),
    dueDay: inBody(Type.Integer({ minimum: 1, maximum: 365, description: "The day on which payments fall due" })),
  }),
  output: singleAnswer(CreatePreflight),
  example: {
    from: exampleFrom,
    amount: "12.50",
    token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    details: { url: "https://example.com/plan", description: "The plan" },
    frequency: 1,
    dueDay: 5,
  },
  handler(context, input) {
    const { contract } = context.chain.config;
    const { details, dueDay } = input;
    const frequency = toFrequency(input.frequency);
    const address = getAddress(input.token);
    return prepareTransaction(context, {
      operation: NAME,
      input,
      plan: async (client, block) => {
        const terms = await readTokenTerms(client, { contract, token: address, block });
        const amount = requireCreatable({ ...input, frequency }, terms);
        const { token } = terms;
        const { decimals } = token;
        const minimum = amountFields(toTokenUnits(terms.minimum, decimals), decimals);
        const data = encodeCreateSubscription({ amount, token: address, details, frequency, dueDay });
        return {
          facts: {
            token: token.address,
            tokenSymbol: token.symbol,
            ...amountFields(toTokenUnits(amount, decimals), decimals),
            minimum: minimum.amount,
            minimumRaw: minimum.amountRaw,
            frequency,
            frequencyLabel: frequencyLabel(frequency),
            dueDay,
            nextDueDate: dayToDate(nextDueDay(frequency, dueDay, dayNumber(block.timestamp))),
          },
          refusals: [],
          warnings: detailsWarnings(details),
          ways: [[{ title: "createSubscription", to: contract, data }]],
          afterwards:
            "The status answer of createSubscription has the event Create with the id of the new subscription.",
        };
      },
    });
  },
});
