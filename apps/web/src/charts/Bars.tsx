import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { onThemeChange } from "../config/theme";

/** A part of each bar, from the bottom up. `color` is a token of styles/tokens.css. */
export type BarPart = { name: string; color: `--${string}` };

export type Bar = {
  key: string;
  /** Below the bar, where there is room. */
  tick: string;
  /** One height for each part: counts, or amounts scaled for drawing. */
  values: readonly number[];
  /** What the bar shows, as a sentence. It is displayed with the legend while the pointer is on the bar. */
  text: string;
};

/** `counts`: the axis has whole numbers only. */
export type Scale = "counts" | "amounts";

export type BarsProps = {
  parts: readonly BarPart[];
  bars: readonly Bar[];
  scale: Scale;
  /** The pointer is on the bar of this index, or on none. */
  onPoint(index: number | null): void;
};

const HEIGHT_PX = 220;
const TICK_WIDTH_PX = 64;
const COUNT_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7, 1e8];
const FIGURES = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** The bars and axes of a chart, drawn again when the theme changes. */
export function Bars({ parts, bars, scale, onPoint }: BarsProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsOf(element, { parts, bars, scale, onPoint }), dataOf(parts, bars), element);
    };
    draw();
    const observer = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    const stopTheme = onThemeChange(draw);
    return () => {
      stopTheme();
      observer.disconnect();
      chart?.destroy();
    };
  }, [parts, bars, scale, onPoint]);
  return <div ref={frame} aria-hidden="true" />;
}

function optionsOf(element: HTMLElement, { parts, bars, scale, onPoint }: BarsProps): uPlot.Options {
  const style = getComputedStyle(element);
  const colorOf = (token: string) => resolveColor(element, token);
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: colorOf("--text-muted"), font, ticks: { show: false } };
  const paths = uPlot.paths.bars?.({ size: [0.68, 40], radius: 0.12 });
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    scales: {
      x: { time: false, range: [-0.6, bars.length - 0.4] },
      y: { range: (_, __, highest) => [0, Math.max(scale === "counts" ? 4 : 0, highest * 1.08) || 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: TICK_WIDTH_PX,
        incrs: [1, 2, 5, 7, 14],
        values: (_, at) => at.map((index) => bars[index]?.tick ?? ""),
      },
      {
        ...axis,
        size: scale === "counts" ? 40 : 64,
        ...(scale === "counts" && { incrs: COUNT_STEPS }),
        grid: { stroke: colorOf("--chart-grid"), width: 1 },
        values: (_, at) => at.map((value) => FIGURES.format(value)),
      },
    ],
    // The highest sum is drawn first: each later series covers all of it but the topmost part.
    series: [
      {},
      ...parts.toReversed().map(({ name, color }) => ({
        label: name,
        fill: colorOf(color),
        width: 0,
        points: { show: false },
        ...(paths !== undefined && { paths }),
      })),
    ],
  };
}

/** Each part as the sum of itself and those below it. */
function dataOf(parts: readonly BarPart[], bars: readonly Bar[]): uPlot.AlignedData {
  const sums = parts.map((_, part) =>
    bars.map(({ values }) => values.slice(0, part + 1).reduce((sum, each) => sum + each, 0)),
  );
  return [bars.map((_, index) => index), ...sums.toReversed()];
}

/** The colour of a token of styles/tokens.css in the present theme, in a form that a canvas accepts. */
function resolveColor(element: HTMLElement, token: string): string {
  const before = element.style.color;
  element.style.color = `var(${token})`;
  const { color } = getComputedStyle(element);
  element.style.color = before;
  return color;
}
