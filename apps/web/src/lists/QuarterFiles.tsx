import { Card } from "../ui/Card";
import { CsvButton } from "../ui/CsvButton";
import { FormFields } from "../ui/FormField";

export type Quarter = { fromDate: string; toDate: string };

export type QuarterFilesProps = {
  /** Reads the file of a quarter. */
  read(days: Quarter): Promise<string>;
  /** How the names of the files begin. */
  name: string;
};

/** The four quarters of a yearly closing, and the quarter in which it is made. */
const SHOWN = 5;

/** What an accountant asks for: the payments of a calendar quarter (UTC) as one file, the present quarter first. */
export function QuarterFiles({ read, name }: QuarterFilesProps) {
  return (
    <Card
      title="Files by quarter"
      note="Each charge, failure and refund with its plan, token and transaction. The days are those of UTC."
    >
      <FormFields
        actions={lastQuarters(new Date()).map(({ label, ...days }) => (
          <CsvButton
            key={label}
            label={`${label} as CSV`}
            name={`${name}-${label.replace(" ", "-")}`}
            read={() => read(days)}
          />
        ))}
      />
    </Card>
  );
}

function lastQuarters(now: Date): (Quarter & { label: string })[] {
  const present = now.getUTCFullYear() * 4 + Math.floor(now.getUTCMonth() / 3);
  const isoDay = (year: number, month: number, day: number) =>
    new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
  return Array.from({ length: SHOWN }, (_, back) => {
    const [year, quarter] = [Math.floor((present - back) / 4), (present - back) % 4];
    return {
      label: `${year} Q${quarter + 1}`,
      fromDate: isoDay(year, quarter * 3, 1),
      toDate: isoDay(year, quarter * 3 + 3, 0),
    };
  });
}
