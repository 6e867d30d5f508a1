import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { type Static, type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation, type Toolset } from "../../operation/defineOperation";
import { prepareOnSubscription } from "./answerPrepare";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  prepareInput,
  subscriptionInBody,
} from "./prepareInput";

export type BothForms<I extends TProperties, O extends TSchema> = {
  summary: string;
  /** The description of the form by id for agents. */
  forAgents: string;
  description: string;
  toolset: Toolset;
  /** Input fields besides the subscription and those of every prepare. */
  input: I;
  example: Record<string, unknown>;
  output: O;
  answer(
    context: Context,
    name: string,
    input: PrepareInput & SubscriptionReference & Static<TObject<I>>,
  ): Promise<Static<O>>;
};

/** Defines a prepare on an existing subscription in two forms: by the whole record, and by its id, which is preferred. */
export function inBothForms<const V extends string, I extends TProperties, O extends TSchema>(
  verb: V,
  { summary, forAgents, description, toolset, input, example, output, answer }: BothForms<I, O>,
) {
  const [name, nameById] = [`prepare_${verb}`, `prepare_${verb}_by_id`] as const;
  // The compiler does not compute the input of a schema with properties that it does not know.
  type Given = PrepareInput & SubscriptionReference & Static<TObject<I>>;
  const common = { ...prepareOnSubscription, description, output };
  return [
    defineOperation({
      ...common,
      name,
      http: { method: "POST", path: `/prepare/${verb}` },
      summary: `${summary} (object form)`,
      forAgents: `As ${nameById}, given a whole subscription record`,
      answersLike: nameById,
      toolsets: ["forms"],
      input: Type.Object({ ...prepareInput, ...subscriptionInBody, ...input }),
      example: { from: exampleFrom, subscription: exampleSubscription, ...example } as object,
      handler: (context, given) => answer(context, name, given as unknown as Given),
    }),
    defineOperation({
      ...common,
      name: nameById,
      http: { method: "POST", path: `/prepare/${verb}_by_id` },
      summary: `${summary}, by id (preferred)`,
      forAgents,
      toolsets: [toolset],
      input: Type.Object({ ...prepareInput, ...idInBody, ...input }),
      example: { from: exampleFrom, id: exampleId, ...example } as object,
      handler: (context, given) => answer(context, nameById, given as unknown as Given),
    }),
  ] as const;
}
