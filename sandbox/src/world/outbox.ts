/** E-mail: sent to a server when there is one, else put into a folder when there is one, and kept in any case. */
import { constants, rmSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredFile } from "./stored-file";
import { DomainError } from "./domain-error";

/** An e-mail to be sent. */
export interface Letter {
  /** Makes its Message-ID and the boundaries between its parts. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sentAt: Date;
  readonly attachments: readonly StoredFile[];
}

export interface Mail extends Letter {
  /** The message as it was sent or written: RFC 5322 and MIME. */
  readonly message: Buffer;
}

/** Where e-mails go. */
export interface Delivery {
  /** Each mail is written there as a file of its own. */
  readonly folder?: string | undefined;
  /** A mail server, as smtp://user:password@host:port; takes the place of the folder. */
  readonly smtpUrl?: string | undefined;
}

const mailProtocols = new Set(["smtp:", "smtps:"]);

/** Makes a folder and those it is in. One at a time: asked for all at once, some systems never respond. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Sees to it that e-mails can be delivered. Throws a RangeError that says what is wrong. */
export async function prepare({ folder, smtpUrl }: Delivery): Promise<void> {
  if (smtpUrl !== undefined && !(URL.canParse(smtpUrl) && mailProtocols.has(new URL(smtpUrl).protocol)))
    throw new RangeError("smtpUrl must begin with smtp:// or smtps://, and the name of the server follows.");
  if (folder === undefined || smtpUrl !== undefined) return;
  try {
    await makeFolder(folder);
    await access(`${folder}/`, constants.W_OK);
  } catch (error) {
    throw new RangeError(`dataDir: e-mails cannot be left in ${folder}: ${(error as Error).message}`);
  }
}

const sender = "statements@sandbox-bank.example";

/** The library takes a while to load: not before it is needed. */
const mailer = () => import("nodemailer");

/** The message of a letter; the same letter is always the same bytes. */
async function messageOf({ id, to, subject, text, sentAt, attachments }: Letter): Promise<Buffer> {
  const { createTransport } = await mailer();
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await transport.sendMail({
    from: { name: "Sandbox Bank", address: sender },
    to,
    subject,
    text,
    date: sentAt,
    messageId: `<${sentAt.getTime()}.${id}@sandbox-bank.example>`,
    baseBoundary: id,
    attachments: attachments.map(({ fileName, contentType, bytes }) => ({
      filename: fileName,
      contentType,
      content: bytes,
    })),
  });
  return message as Buffer;
}

async function sendOver(smtpUrl: string, { to, message }: Mail): Promise<void> {
  const { createTransport } = await mailer();
  const transport = createTransport(smtpUrl);
  try {
    await transport.sendMail({ envelope: { from: sender, to }, raw: message });
  } catch (error) {
    throw new DomainError("mail-not-sent", "The mail server did not take the e-mail.", String(error));
  } finally {
    transport.close();
  }
}

/** What an e-mail is called as a file. */
const fileNameOf = ({ id, sentAt }: Mail): string =>
  `${sentAt.toISOString().replace(/[-:.]/g, "")}-${id.slice(0, 8)}.eml`;

/** An e-mail as mail programs open it. */
export const fileOf = (mail: Mail): StoredFile => ({
  contentType: "message/rfc822",
  fileName: fileNameOf(mail),
  bytes: mail.message,
});

/** Returns where it was written. */
async function writeInto(folder: string, mail: Mail): Promise<string> {
  const path = join(folder, fileNameOf(mail));
  await makeFolder(folder);
  await writeFile(path, mail.message);
  return path;
}

export class Outbox {
  readonly #mails: Mail[];
  /** What it has written of them, by where. */
  readonly #files = new Map<string, Mail>();
  #discarded = false;

  /** With the mails that were sent before; their files are not its own. */
  constructor(
    private readonly delivery: Delivery = {},
    mails: readonly Mail[] = [],
  ) {
    this.#mails = [...mails];
  }

  /** What was sent, the first one first. */
  get mails(): readonly Mail[] {
    return this.#mails;
  }

  /** Throws a DomainError when there is a mail server and it does not take the letter. */
  async send(letter: Letter): Promise<void> {
    const { folder, smtpUrl } = this.delivery;
    const mail = { ...letter, message: await messageOf(letter) };
    if (smtpUrl !== undefined) await sendOver(smtpUrl, mail);
    else if (folder !== undefined) this.#files.set(await writeInto(folder, mail), mail);
    this.#mails.push(Object.freeze(mail));
    if (this.#discarded) this.discard();
  }

  /** Another outbox takes its place: the files of mails that are in that one too are that one's, the others are removed. */
  giveWayTo(other: Outbox): void {
    const kept = new Set(other.#mails.map(({ id }) => id));
    for (const [path, mail] of this.#files)
      if (kept.has(mail.id)) {
        other.#files.set(path, mail);
        this.#files.delete(path);
      }
    this.discard();
  }

  /** Removes the files it has written, and none besides; also one that is being written now. */
  discard(): void {
    this.#discarded = true;
    for (const path of this.#files.keys()) rmSync(path, { force: true });
    this.#files.clear();
  }
}
