/** Mail to a person whose entry in the people file was changed. */
import { createHash } from "node:crypto";
import type { PeopleChange } from "../people/change-people";
import { type MailSettings, MailServer } from "./mail-server";

/** Sends the mail to the address that the person had before the change. Throws an Error if the mail server fails. */
export async function mailPeopleChange(
  settings: MailSettings,
  to: string,
  { person, change, by, confirmedBy, at }: PeopleChange,
): Promise<void> {
  const server = await MailServer.open(settings);
  const id = createHash("sha256")
    .update(JSON.stringify([person, change, at]))
    .digest("hex")
    .slice(0, 32);
  try {
    await server.send({
      to,
      subject: `fxdesk: ${person}: ${change}`,
      text:
        `Entry of ${person} in the people file: ${change} by ${by}${confirmedBy === undefined ? "" : ` and ${confirmedBy}`} at ${at}.\n\n` +
        "If you did not expect this, ask an administrator to lock your name (fxdesk people lock).\n",
      messageId: `<${id}@${settings.from.split("@")[1]}>`,
    });
  } finally {
    server.close();
  }
}
