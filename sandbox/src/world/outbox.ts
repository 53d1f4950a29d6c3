/** E-mail: sent to a server when there is one, else put into a folder when there is one, and kept in any case. */
import { constants, rmSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredFile } from "./stored-file";
import { DomainError } from "./domain-error";

/** An e-mail to be sent. */
export interface MailDraft {
  /** Makes its Message-ID and the boundaries between its parts. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sentAt: Date;
  readonly attachments: readonly StoredFile[];
}

export interface Mail extends MailDraft {
  /** The message as it was sent or written: RFC 5322 and MIME. */
  readonly message: Buffer;
}

/** Where e-mails go. */
export interface MailDelivery {
  /** Each mail is written there as a file of its own. */
  readonly folder?: string | undefined;
  /** A mail server, as smtp://user:password@host:port; takes the place of the folder. */
  readonly smtpUrl?: string | undefined;
}

const mailProtocols = new Set(["smtp:", "smtps:"]);

/** Makes a folder and those it is in. One at a time: asked for all at once, some systems never respond. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await createFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Sees to it that e-mails can be delivered. Throws a RangeError that says what is wrong. */
export async function checkMailDelivery({ folder, smtpUrl }: MailDelivery): Promise<void> {
  if (smtpUrl !== undefined && !(URL.canParse(smtpUrl) && mailProtocols.has(new URL(smtpUrl).protocol)))
    throw new RangeError("smtpUrl must begin with smtp:// or smtps://, and the name of the server follows.");
  if (folder === undefined || smtpUrl !== undefined) return;
  try {
    await createFolder(folder);
    await access(`${folder}/`, constants.W_OK);
  } catch (error) {
    throw new RangeError(`dataDir: e-mails cannot be left in ${folder}: ${(error as Error).message}`);
  }
}

const sender = "statements@sandbox-bank.example";

/** The library takes a while to load: not before it is needed. */
const loadNodemailer = () => import("nodemailer");

/** The message of a letter; the same letter is always the same bytes. */
async function composeMessage({ id, to, subject, text, sentAt, attachments }: MailDraft): Promise<Buffer> {
  const { createTransport } = await loadNodemailer();
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

async function sendBySmtp(smtpUrl: string, { to, message }: Mail): Promise<void> {
  const { createTransport } = await loadNodemailer();
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
export const toEmlFile = (mail: Mail): StoredFile => ({
  contentType: "message/rfc822",
  fileName: fileNameOf(mail),
  bytes: mail.message,
});

/** Returns where it was written. */
async function writeMailFile(folder: string, mail: Mail): Promise<string> {
  const path = join(folder, fileNameOf(mail));
  await createFolder(folder);
  await writeFile(path, mail.message);
  return path;
}

export class Outbox {
  readonly #mails: Mail[];
  /** What it has written of them, by where. */
  readonly #files = new Map<string, Mail>();
  #isDiscarded = false;

  /** With the mails that were sent before; their files are not its own. */
  constructor(
    private readonly delivery: MailDelivery = {},
    mails: readonly Mail[] = [],
  ) {
    this.#mails = [...mails];
  }

  /** What was sent, the first one first. */
  get mails(): readonly Mail[] {
    return this.#mails;
  }

  /** Throws a DomainError when there is a mail server and it does not take the letter. */
  async send(draft: MailDraft): Promise<void> {
    const { folder, smtpUrl } = this.delivery;
    const mail = { ...draft, message: await composeMessage(draft) };
    if (smtpUrl !== undefined) await sendBySmtp(smtpUrl, mail);
    else if (folder !== undefined) this.#files.set(await writeMailFile(folder, mail), mail);
    this.#mails.push(Object.freeze(mail));
    if (this.#isDiscarded) this.removeFiles();
  }

  /** Another outbox takes its place: the files of mails that are in that one too are that one's, the others are removed. */
  transferFilesTo(other: Outbox): void {
    const sharedIds = new Set(other.#mails.map(({ id }) => id));
    for (const [path, mail] of this.#files)
      if (sharedIds.has(mail.id)) {
        other.#files.set(path, mail);
        this.#files.delete(path);
      }
    this.removeFiles();
  }

  /** Removes the files it has written, and none besides; also one that is being written now. */
  removeFiles(): void {
    this.#isDiscarded = true;
    for (const path of this.#files.keys()) rmSync(path, { force: true });
    this.#files.clear();
  }
}
