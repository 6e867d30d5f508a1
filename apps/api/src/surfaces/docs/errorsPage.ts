import { errorStatus } from "@dueday/core/errors";
import errors from "../../../../../docs/errors.md" with { type: "text" };

/** The page has no script and loads nothing. */
export const ERRORS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const STYLE = `
  :root { color-scheme: light dark }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; display: block; overflow-x: auto }
  th, td { border: 1px solid #8886; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top }
  pre { overflow-x: auto }
  :target { background: #fc03 }`;

/**
 * docs/errors.md as an HTML page, which the `docs` of errors links to. Each code is an anchor. An error has its anchor at
 * its heading; any other code has it at the row that begins with it.
 */
export function renderErrorsPage(): string {
  const content = Bun.markdown
    .html(errors)
    .replace(/<h2>([^<]+)<\/h2>/g, (_, title: string) => `<h2 id="${anchorOf(title)}">${title}</h2>`)
    .replace(/<tr><td><code>(\w+)<\/code>/g, (row, code: string) =>
      code in errorStatus ? row : row.replace("<tr", `<tr id="${code}"`),
    );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors of the Dueday API</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`;
}

/** A code is its own anchor; any other heading has the anchor that links in the file use. */
function anchorOf(title: string): string {
  return title in errorStatus ? title : title.replaceAll(" ", "-").toLowerCase();
}
