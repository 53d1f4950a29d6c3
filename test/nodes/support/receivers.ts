/** Receivers for flows: a web server and a mail server. */
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createNetServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { eventually } from "../../support/eventually";
import { listen } from "../../support/resources";

export interface PostedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

const withinMs = 20_000;

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
    readonly url: string,
    readonly mailPort: string,
  ) {}

  static async start(): Promise<Receivers> {
    const web = createServer(
      (request, response) =>
        void receivers.#handlePost(request).then((status) => response.writeHead(status).end("{}")),
    );
    const mail = createNetServer((socket) =>
      receiveMail(socket, (received) => receivers.mails.push(received)),
    );
    const url = `http://127.0.0.1:${await listen(web)}`;
    const receivers = new Receivers(url, String(await listen(mail)));
    return receivers;
  }

  async #handlePost(request: IncomingMessage): Promise<number> {
    const body: unknown = JSON.parse(await text(request));
    if (this.refusalsLeft > 0) {
      this.refusalsLeft -= 1;
      return 503;
    }
    this.posts.push({ path: request.url!, headers: request.headers, body });
    return 200;
  }

  /** The first of what was posted to a path. */
  waitForPost(path: string): Promise<PostedRequest> {
    const found = () => this.posts.find((each) => each.path === path);
    return eventually(found, { withinMs, what: `a post to ${path}` });
  }

  waitForMail(words: string): Promise<string> {
    const found = () => this.mails.find((mail) => mail.includes(words));
    return eventually(found, { withinMs, what: `a mail with ${words}` });
  }
}
