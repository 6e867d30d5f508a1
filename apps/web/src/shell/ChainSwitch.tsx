import { useNavigate } from "@tanstack/react-router";
import { useInstallation } from "../config/ChainContext";
import classes from "./Select.module.css";

/** Chooses among the chains of this installation. A single chain is only named. */
export function ChainSwitch() {
  const { config, chain } = useInstallation();
  const navigate = useNavigate();
  if (config.chains.length === 1) return <span className={classes.name}>{chain.name}</span>;
  const choose = (chainId: number) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, chainId: chainId === config.defaultChainId ? undefined : chainId }),
    });
  return (
    <select
      className={classes.select}
      aria-label="Chain"
      value={chain.chainId}
      onChange={({ target }) => choose(Number(target.value))}
    >
      {config.chains.map(({ chainId, name }) => (
        <option key={chainId} value={chainId}>
          {name}
        </option>
      ))}
    </select>
  );
}
