import { chooseTheme, type Theme, useTheme } from "../config/theme";
import classes from "./Select.module.css";

const themes: readonly [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeSwitch() {
  const theme = useTheme();
  return (
    <select
      className={classes.select}
      aria-label="Theme"
      value={theme}
      // The options are the themes.
      onChange={({ target }) => chooseTheme(target.value as Theme)}
    >
      {themes.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
