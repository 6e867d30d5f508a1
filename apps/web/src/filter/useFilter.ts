import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FilterProps, filterIn } from "./paymentFilter";

/** The filter in the address of the page, and a function that replaces it. */
export function useFilter(): FilterProps {
  const filter = filterIn(useSearch({ strict: false }));
  const navigate = useNavigate();
  return {
    filter,
    onChange: ({ account, provider, subscription }) =>
      void navigate({
        to: ".",
        search: (before) => ({ ...before, account, provider, subscription }),
        resetScroll: false,
      }),
  };
}
