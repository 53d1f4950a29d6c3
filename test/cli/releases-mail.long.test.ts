/** Tests the e-mails of fxdesk releases serve, run as a process. */
import { copyFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setMailAddress } from "../../core/releases/people";
import { startMailServerStub } from "../core/releases/mail-server-stub";
import { sampleOrder, createReleaseFixture } from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { program } from "./run-command";

test("mails link to the page, and SIGTERM stops both", async () => {
  const [place, box] = [await createReleaseFixture(), await startMailServerStub()];
  const people = join(place.folder, "people-with-addresses.json");
  await copyFile(place.peoplePath, people);
  await setMailAddress(people, "anna", "anna@example.com");
  const serving = spawn(process.execPath, [program, "releases", "serve", "--port", "0"], {
    env: {
      FXDESK_STORE: place.store.location,
      FXDESK_STORE_KEY: place.store.key!.toString("base64"),
      FXDESK_POLICY: place.policyPath,
      FXDESK_PEOPLE: people,
      FXDESK_MAIL_SERVER: box.url,
      FXDESK_MAIL_FROM: "fxdesk@example.com",
    },
  });
  let said = "";
  serving.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const url = await eventually(() => /The releases page is at (\S+)\. /.exec(said)?.[1], {
    withinMs: 20_000,
    what: () => `the page; it said: ${said}`,
  });
  const { release } = await place.client().orders.order(sampleOrder());
  const [mail] = await eventually(() => box.to("anna@example.com").length > 0 && box.to("anna@example.com"), {
    withinMs: 20_000,
    what: () => `a mail; it said: ${said}`,
  });
  expect(mail).toContain(`${url}/releases/${release}`);
  const ended = once(serving, "exit");
  serving.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await place.close();
  await box.close();
}, 60_000);
