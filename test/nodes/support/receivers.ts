/** Receivers for flows: a web server and a mail server. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { createInterface } from "node:readline";
import { eventually, untilEvent } from "../../support/eventually";

export interface PostedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

const withinMs = 20_000;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** The least of a mail server: takes every mail, from the greeting to the line with a single dot. */
function receiveMail(socket: Socket, onMail: (mail: string) => void): void {
  let mail: string[] | undefined;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const onLine = (line: string) => {
    if (mail === undefined) {
      if (/^DATA/i.test(line)) mail = [];
      say(/^DATA/i.test(line) ? "354 go on" : /^QUIT/i.test(line) ? "221 bye" : "250 ok");
    } else if (line === ".") {
      onMail(mail.join("\n"));
      mail = undefined;
      say("250 taken");
    } else mail.push(line);
  };
  createInterface(socket).on("line", onLine);
  socket.on("error", () => socket.destroy());
  say("220 mail server of the tests");
}

export class Receivers {
  readonly posts: PostedRequest[] = [];
  readonly mails: string[] = [];
  /** Number of requests answered with 503 before one is accepted. */
  refusalsLeft = 0;

  private constructor(
    private readonly web: Server,
    private readonly mail: NetServer,
  ) {}

  static async start(): Promise<Receivers> {
    const web = createServer(
      (request, response) =>
        void receivers.#handlePost(request).then((status) => response.writeHead(status).end("{}")),
    );
    const mail = createNetServer((socket) => receiveMail(socket, (text) => receivers.mails.push(text)));
    const receivers = new Receivers(web, mail);
    for (const server of [web, mail]) await untilEvent(server.listen(0, "127.0.0.1"), "listening");
    return receivers;
  }

  async #handlePost(request: IncomingMessage): Promise<number> {
    const body = await bodyOf(request);
    if (this.refusalsLeft > 0) {
      this.refusalsLeft -= 1;
      return 503;
    }
    this.posts.push({ path: request.url!, headers: request.headers, body });
    return 200;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.web.address() as AddressInfo).port}`;
  }

  get mailPort(): string {
    return String((this.mail.address() as AddressInfo).port);
  }

  /** The first of what was posted to a path. */
  waitForPost(path: string): Promise<PostedRequest> {
    const found = () => this.posts.find((each) => each.path === path);
    return eventually(found, { withinMs, what: `a post to ${path}` });
  }

  waitForMail(text: string): Promise<string> {
    const found = () => this.mails.find((mail) => mail.includes(text));
    return eventually(found, { withinMs, what: `a mail with ${text}` });
  }

  async close(): Promise<void> {
    const ended = [this.web, this.mail].map((server) => untilEvent(server, "close"));
    this.web.closeAllConnections();
    for (const server of [this.web, this.mail]) server.close();
    await Promise.all(ended);
  }
}
