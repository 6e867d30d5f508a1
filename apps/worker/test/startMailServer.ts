import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

/** A mail that the server has taken. */
export type TakenMail = { to: string[]; raw: string; parsed: ParsedMail };

export type MailServerFixture = {
  url: string;
  /** In the order of arrival, including those whose answer was lost. */
  taken: TakenMail[];
  /** Addresses of the RCPT commands that it received. */
  asked: string[];
  /** What it does with the next mails. */
  faults: {
    /** Answers to RCPT by address: a code such as 550 or 451. */
    refuses: Map<string, number>;
    /** The answer to the content of mails: a code; null takes them. */
    afterData: number | null;
    /** Mails of which the connection is cut after they were taken, before the answer. */
    cutsAfterData: number;
    /** Milliseconds before it answers to the content. */
    slowMs: number;
  };
  /** It is not there any more. */
  close(): Promise<void>;
  /** It is there again, on the same port. */
  open(): Promise<void>;
};

/** A mail server on this machine, whose mails are parsed by a library that knows nothing of the one that wrote them. */
export async function startMailServer(): Promise<MailServerFixture> {
  const fixture: MailServerFixture = {
    url: "",
    taken: [],
    asked: [],
    faults: { refuses: new Map(), afterData: null, cutsAfterData: 0, slowMs: 0 },
    close: async () => {},
    open: async () => {},
  };
  let server = create(fixture);
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server.server, "listening");
    // It listens on a port, so the address is not a path.
    const { port: open } = server.server.address() as AddressInfo;
    fixture.url = `smtp://127.0.0.1:${open}`;
    return open;
  };
  const port = await listen(0);
  fixture.close = () => new Promise((resolve) => server.close(resolve));
  fixture.open = async () => {
    server = create(fixture);
    await listen(port);
  };
  return fixture;
}

function create(fixture: MailServerFixture): SMTPServer {
  const { faults, taken, asked } = fixture;
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    closeTimeout: 100,
    onRcptTo({ address }, _session, callback) {
      asked.push(address);
      const code = faults.refuses.get(address);
      callback(code === undefined ? null : answer(code));
    },
    onData(stream, session, callback) {
      // Of a mail whose client was killed, the server receives a part, and takes nothing.
      take().catch((error: unknown) =>
        callback(error instanceof Error ? error : new Error("the mail was not received")),
      );
      async function take(): Promise<void> {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(Buffer.from(chunk));
        const raw = Buffer.concat(chunks).toString();
        if (faults.slowMs > 0) await Bun.sleep(faults.slowMs);
        if (faults.afterData !== null) return callback(answer(faults.afterData));
        taken.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw, parsed: await simpleParser(raw) });
        if (faults.cutsAfterData > 0) {
          faults.cutsAfterData -= 1;
          const own = [...server.connections].find((each) => Reflect.get(each, "session") === session);
          if (own === undefined) throw new Error("the mail's connection is not known");
          Reflect.get(own, "_socket").destroy();
          return;
        }
        callback();
      }
    },
  });
  server.on("error", () => {});
  return server;
}

function answer(responseCode: number): Error {
  return Object.assign(new Error("not now"), { responseCode });
}
