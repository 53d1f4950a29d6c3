/** Programs that use the built client: the modules they load, and their behaviour on a full disk. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { respond } from "../../support/fault-server";
import { startFaultServer } from "../support/client-fixtures";
import { tempFolder } from "../../support/resources";

const root = join(__dirname, "../../..");

/** Runs a program with a client of the server, in a shell that can set limits. Returns its printed JSON. */
async function program(url: string, code: string, shell = 'exec "$@"'): Promise<unknown> {
  const options = {
    baseUrl: url,
    clientId: "c-1",
    credentials: { accessToken: "token" },
    store: join(await tempFolder(), "made/store.db"),
    storeKey: randomBytes(32).toString("base64"),
  };
  const script = `
    const { createClient } = require(${JSON.stringify(join(root, "dist/core"))});
    const client = createClient(${JSON.stringify(options)});
    const loaded = () => Object.keys(require.cache)
      .map((path) => path.slice(${root.length + 1}).replaceAll("\\\\", "/"))
      .filter((path) => /^dist\\/core\\/(store|journal)\\//.test(path) || path.includes("@photostructure"));
    const print = (value) => console.log(JSON.stringify(value));
    (async () => { ${code} })().finally(() => client.close());`;
  const { stdout } = await promisify(execFile)("sh", ["-c", shell, "sh", process.execPath, "-e", script], {
    timeout: 30_000,
  });
  return JSON.parse(stdout);
}

test("loads neither journal nor store for reads and changes", async () => {
  const { url } = await startFaultServer(respond(200, "[]"));
  const code = `
    await client.trades.list();
    await client.accountDetails.updateAlias({ account_details_id: "d-1", alias: "Rent" });
    print(loaded());`;
  expect(await program(url, code)).toEqual(["dist/core/store/settings.js"]);
});

test("refuses money calls on a full disk before sending, but makes reads", async () => {
  const server = await startFaultServer(respond(201, '{"trade_id":"t-1"}'));
  const code = `
    let booked = 0;
    let error;
    while (!error && booked < 1_000)
      await client.trades.book({ quote_id: "q-" + booked, reason: "other" }).then(() => (booked += 1), (e) => (error = e));
    const read = await client.request({ method: "GET", path: "/things" });
    print({ booked, error, read: read.status });
    process.exit();`;
  // Limits the file size, so that writes fail as on a full disk.
  const limited = "trap '' XFSZ; ulimit -f 600; exec \"$@\"";
  const { booked, error, read } = (await program(server.url, code, limited)) as {
    booked: number;
    error: object;
    read: number;
  };
  expect(booked).toBeGreaterThan(0);
  expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
  expect(read).toBe(201);
  expect(server.heads.filter((head) => head.startsWith("POST"))).toHaveLength(booked);
});
