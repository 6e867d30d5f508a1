import { useInstallation } from "../../config/ChainContext";

/** Links of a plan for its seller to share: the address of its checkout, and the code of its button. */
export function useSaleLinks(id: string): { checkout: string; button: string } {
  const { config, chain } = useInstallation();
  const isDefault = chain.chainId === config.defaultChainId;
  const { origin } = location;
  return {
    checkout: `${origin}/pay/${id}${isDefault ? "" : `?chainId=${chain.chainId}`}`,
    button: [
      `<script src="${origin}/pay.js" async></script>`,
      `<dueday-button subscription="${id}"${isDefault ? "" : ` chain="${chain.chainId}"`}>Subscribe</dueday-button>`,
    ].join("\n"),
  };
}
