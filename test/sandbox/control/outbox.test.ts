/** Tests the outbox folder and its cleanup on reset. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type FxdeskClient } from "@fxdesk/toolkit";
import { contract } from "@fxdesk/toolkit/operations";
import { controls, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { Outbox } from "../../../sandbox/src/world/model/outbox";
import { sandboxClient } from "../../support/samples";

let dataDir: string;
let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fxdesk-"));
  sandbox = await startSandbox({ now: new Date("2026-03-16T09:00:00Z"), dataDir, daysBehind: 90 });
  client = sandboxClient(sandbox);
});
afterEach(async () => {
  await client.close();
  await sandbox.close();
  await rm(dataDir, { recursive: true });
});

const outbox = () => join(dataDir, "outbox");
const files = async () => (await readdir(outbox())).toSorted();
const send = () => client.statements.emailTrades({ date_from: "2026-01" });

test("downloads an e-mail identical to the file in the folder", async () => {
  await send();
  const [name] = await files();
  const remote = createClient({ baseUrl: sandbox.baseUrl }, { ...contract, operations: controls });
  const message = await remote.sandbox.getMessage({ mail: 1 });
  expect(message.fileName).toBe(name);
  expect(Buffer.from(await message.bytes())).toEqual(await readFile(join(outbox(), name!)));
  await expect(remote.sandbox.getMessage({ mail: 2 })).rejects.toMatchObject({ code: "not_found" });
  await remote.close();
});

test("removes only its own files on reset", async () => {
  await mkdir(join(outbox(), "kept"), { recursive: true });
  await writeFile(join(outbox(), "notes.txt"), "mine");
  await writeFile(join(outbox(), "20260101T000000000Z-00000000.eml"), "mine too");
  const others = await files();
  await send();
  await send();
  expect(await files()).toHaveLength(others.length + 2);
  sandbox.control.reset();
  expect(await files()).toEqual(others);
  await send();
  expect(await files()).toHaveLength(others.length + 1);
});

test("removes an e-mail in delivery during a reset", async () => {
  const box = new Outbox({ folder: outbox() });
  const letter = { id: "0123456789", to: "a@b.example", subject: "S", text: "T", sentAt: new Date(0) };
  const sent = box.send({ ...letter, attachments: [] });
  box.removeFiles();
  await sent;
  expect(await files()).toEqual([]);
});

test("tolerates missing files on reset", async () => {
  await send();
  await rm(outbox(), { recursive: true });
  expect(() => sandbox.control.reset()).not.toThrow();
});
