/** E-mail that the sandbox does not send: it is kept, and put into a folder when there is one. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "./behaviour";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sentAt: Date;
  readonly attachments: readonly StoredFile[];
}

export class Outbox {
  readonly #mails: Mail[] = [];

  /** With a folder, each mail is also written there: its text as JSON, and its attachments beside it. */
  constructor(private readonly folder: string | undefined) {}

  get mails(): readonly Mail[] {
    return this.#mails;
  }

  async send(mail: Mail): Promise<void> {
    this.#mails.push(mail);
    if (this.folder === undefined) return;
    const { attachments, ...letter } = mail;
    const place = join(this.folder, `${mail.sentAt.toISOString().slice(0, 10)}-${this.#mails.length}`);
    await mkdir(this.folder, { recursive: true });
    const names = attachments.map(({ fileName }) => fileName);
    await writeFile(`${place}.json`, `${JSON.stringify({ ...letter, attachments: names }, null, 2)}\n`);
    await Promise.all(attachments.map(({ fileName, bytes }) => writeFile(`${place}-${fileName}`, bytes)));
  }
}
