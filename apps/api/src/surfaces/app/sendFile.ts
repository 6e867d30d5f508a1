import type { Exchange } from "../../http/exchange";
import type { AppFile } from "./readAppFolder";

/** Sends a file of the build in the best form that the client accepts, or 304 where the client has it. @param own headers of this file */
export function sendFile({ request }: Exchange, file: AppFile, own: Record<string, string>): Response {
  const headers = { ...own, ETag: file.etag, Vary: "Accept-Encoding" };
  if (request.headers.get("if-none-match")?.includes(file.etag)) return new Response(null, { status: 304, headers });
  const accepted = request.headers.get("accept-encoding") ?? "";
  const form = file.encoded.find(({ encoding }) => accepts(accepted, encoding));
  return new Response(form?.body ?? file.plain, {
    headers: { ...headers, "Content-Type": file.type, ...(form && { "Content-Encoding": form.encoding }) },
  });
}

/** Whether an Accept-Encoding header lists an encoding, and not with the weight 0. */
function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((part) => {
    const [name, ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    return name === encoding && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}
