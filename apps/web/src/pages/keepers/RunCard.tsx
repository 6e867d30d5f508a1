import { useInstallation } from "../../config/ChainContext";
import { Card } from "../../ui/Card";
import { CodeBlock } from "../../ui/CodeBlock";

/** How to run the reference keeper against this service. */
export function RunCard() {
  const { chain } = useInstallation();
  const command = [
    "KEEPER_PRIVATE_KEY=0x... \\",
    `  bun run keeper --api ${location.origin} \\`,
    `  --rpc ${chain.publicRpcUrl ?? "<your node's URL>"} \\`,
    `  --contract ${chain.contract} --once`,
  ].join("\n");
  return (
    <Card
      title="Run a keeper"
      note="The reference keeper is in the repository of this service. It asks the service for the plan, checks the plan, signs with its own key and sends through your node."
    >
      <CodeBlock label="the command of the keeper" text={command} />
    </Card>
  );
}
