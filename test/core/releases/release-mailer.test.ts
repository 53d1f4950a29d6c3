/** Mails about releases, on a local mail server: recipients, content, and failures that stop nothing. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type ReleaseMailerOptions, ReleaseMailer } from "../../../core/mail/release-mailer";
import { setMailAddress } from "../../../core/people/administration";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { type MailServerStub, startMailServerStub, password } from "./mail-server-stub";
import {
  administrator,
  sampleOrder,
  people as names,
  type ReleaseFixture,
  createReleaseFixture,
} from "./release-fixture";

let place: ReleaseFixture;
let people: string;
let mailServer: MailServerStub;
let client: FxdeskClient;
const log: string[] = [];

beforeAll(async () => {
  place = await createReleaseFixture();
  people = join(place.folder, "people-with-addresses.json");
  await copyFile(place.peoplePath, people);
  for (const name of names.filter((each) => each !== "dora" && each !== "desk"))
    await setMailAddress(people, name, addressOf(name), administrator);
  client = place.client({ as: "carl" });
});
beforeEach(async () => {
  mailServer = await startMailServerStub();
  log.splice(0);
});

const addressOf = (name: string): string => `${name}@example.com`;
const page = "https://releases.example.com";

async function startMailer(more: Partial<ReleaseMailerOptions> = {}): Promise<ReleaseMailer> {
  return closeLater(
    await ReleaseMailer.start({
      service: place.service,
      store: place.store,
      files: { ...place.files, people },
      settings: { server: mailServer.url, from: "fxdesk@example.com" },
      page,
      log: (line) => log.push(line),
      pollIntervalMs: 20,
      retryPauseMs: 5,
      ...more,
    }),
  );
}

const mailsAbout = (id: string) => mailServer.received.filter(({ message }) => message.includes(id));
const subjectOf = (message: string): string => /^Subject: (.*(?:\r\n .*)*)/m.exec(message)![1]!;
const waitForMails = (count: number, id: string) =>
  eventually(() => mailsAbout(id).length >= count && mailsAbout(id), {
    withinMs: 10_000,
    what: () => `${count} mails of ${id}; there are ${mailsAbout(id).length}: ${log.join(" ")}`,
  });
/** Completes another release. Its mails arrive after any pending mail of earlier releases. */
const completeAnotherRelease = async () => {
  const { release } = await client.orders.order(sampleOrder());
  await waitForMails(2, release);
  await client.orders.cancel(release);
  await waitForMails(3, release);
};

test("mails requests without terms to approvers, and outcomes to the requester", async () => {
  await startMailer();
  const { release } = await client.orders.order(sampleOrder({ amount: "4711", reference: "SECRET-REF" }));
  const asked = await waitForMails(2, release);
  expect(asked.map(({ to }) => to).toSorted()).toEqual([addressOf("anna"), addressOf("bert")]);
  for (const { message } of asked) {
    expect(subjectOf(message)).toContain("Release needed: trades.order in api");
    for (const word of [`${page}/releases/${release}`, "Requested by: carl", "From: fxdesk@example.com"])
      expect(message).toContain(word);
    for (const word of ["4711", "SECRET-REF", "EURUSD"]) expect(message).not.toContain(word);
  }
  await place.decide(release, "bert", "refuse");
  const [last] = (await waitForMails(3, release)).slice(2);
  expect(last!.to).toBe(addressOf("carl"));
  expect(subjectOf(last!.message)).toContain("refused: trades.order");
  expect(last!.message).toContain("Refused by bert.");
  await completeAnotherRelease();
  expect(mailsAbout(release)).toHaveLength(3);
  expect(log).toEqual([]);
});

test("mails a booked order to the requester", async () => {
  await startMailer();
  const { release } = await client.orders.order(sampleOrder());
  await waitForMails(2, release);
  await place.decide(release, "anna");
  await eventually(
    () =>
      mailServer
        .to(addressOf("carl"))
        .some((mail) => mail.includes(release) && subjectOf(mail).startsWith("booked")),
    { withinMs: 15_000, what: "a mail that it is booked" },
  );
});

test("sends each mail once, with two senders and after a restart", async () => {
  const [first] = [await startMailer(), await startMailer()];
  const orders = await Promise.all([1, 2, 3].map(() => client.orders.order(sampleOrder())));
  for (const { release } of orders) await waitForMails(2, release);
  await first.close();
  await startMailer();
  await completeAnotherRelease();
  for (const { release } of orders) expect(mailsAbout(release)).toHaveLength(2);
  for (const { release } of orders) await client.orders.cancel(release);
  for (const { release } of orders) await waitForMails(3, release);
});

test("logs a rejected address and still mails the others", async () => {
  mailServer.refused.add(addressOf("anna"));
  await startMailer();
  const { release } = await client.orders.order(sampleOrder());
  await waitForMails(1, release);
  await eventually(() => log.length > 0, { withinMs: 10_000, what: "a line of the log" });
  expect(mailsAbout(release).map(({ to }) => to)).toEqual([addressOf("bert")]);
  expect(log[0]).toMatch(new RegExp(`^The mail about ${release} to anna was not sent: .*No such mailbox`));
});

test("keeps working without a mail server and never logs its password", async () => {
  const { url } = mailServer;
  const nowhere = `smtp://fxdesk:${encodeURIComponent(password)}@127.0.0.1:1`;
  const wrong = url.replace(encodeURIComponent(password), "another-password");
  for (const server of [nowhere, wrong]) {
    const mails = await startMailer({ settings: { server, from: "fxdesk@example.com" } });
    const { release } = await client.orders.order(sampleOrder());
    await eventually(() => log.filter((line) => line.includes(release)).length === 2, {
      withinMs: 10_000,
      what: "two lines of the log",
    });
    expect(await place.decide(release, "anna")).toMatchObject({ state: "released" });
    await mails.close();
  }
  expect(log.join("\n")).toMatch(/ECONNREFUSED.*is wrong/s);
  expect(log.join("\n")).not.toMatch(/another-password|p@ss/);
});

test("logs an invalid people file", async () => {
  await startMailer({ files: { ...place.files, people: join(place.folder, "none.json") } });
  const { release } = await client.orders.order(sampleOrder());
  await eventually(
    () => log.some((line) => line.startsWith(`No mail about ${release} was sent: The people file`)),
    {
      withinMs: 10_000,
      what: "a line of the log",
    },
  );
});

test.each([
  [{ server: "mail.example.com" }, /^mailServer must be the URL of a mail server/],
  [{ server: "https://user:hidden@mail.example.com" }, /^mailServer (?!.*hidden)/],
  [{ from: "fxdesk" }, /^mailFrom must be a mail address.*"fxdesk"/],
])("refuses %j", async (more, message) => {
  const settings = { server: "smtps://mail.example.com", from: "fxdesk@example.com", ...more };
  await expect(startMailer({ settings })).rejects.toThrow(message);
});
