import type { DuedayError, OperationName, Operations } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";

/** An operation that changes something. When it has succeeded, the answers of `renewed` are asked for again. */
export function usePortalAction<N extends OperationName>(
  name: N,
  ...renewed: OperationName[]
): UseMutationResult<Operations[N]["output"], DuedayError, Operations[N]["input"]> {
  const { dueday } = useDueday();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Operations[N]["input"]) => {
      // Each method has the input and output of its operation, which the compiler can't see while the name is generic.
      const method = dueday[name] as (input: Operations[N]["input"]) => Promise<Operations[N]["output"]>;
      return method(input);
    },
    onSuccess: () => renewQueries(queryClient, renewed),
  });
}
