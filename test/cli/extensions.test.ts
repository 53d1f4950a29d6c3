/** Tests extensions on the command line. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { serviceFrom } from "@fxdesk/toolkit";
import { callablesOf } from "@fxdesk/toolkit/operations";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import { failure, runFxdesk as run, type CommandResult, type Variables, variablesOf } from "./run-command";

const extensionSource = `
module.exports = ({ operation, json, z }) => ({ operations: [
  operation({
    name: "fixings.request",
    tool: "request_fixing",
    title: "Request fixing",
    summary: "Asks for the fixing of a currency pair.",
    effect: "read",
    method: "POST",
    path: "/fixings/{symbol}",
    server: "service",
    credentials: ["accessToken"],
    parameters: { symbol: z.string().length(6).meta({ title: "Symbol" }) },
    responses: { 200: json(z.object({ rate: z.number() }), "The fixing.") },
    errors: {},
    contract: "none",
  }),
] });`;

let sandbox: Sandbox;
let extension: string;

async function writeModule(content: string): Promise<string> {
  const path = join(await tempFolder(), "extension.js");
  await writeFile(path, content);
  return path;
}

beforeAll(async () => {
  extension = await writeModule(extensionSource);
  sandbox = await openSandbox({
    service: serviceFrom({ FXDESK_EXTENSIONS: extension }),
    behaviours: { "fixings.request": () => ({ status: 200, body: { rate: 1.25 } }) },
  });
});

const fxdesk = (args: readonly string[], more: Variables = {}): Promise<CommandResult> =>
  run(args, { variables: { ...variablesOf(sandbox), FXDESK_EXTENSIONS: extension, ...more } });

const trusted = { FXDESK_EXTENSION_EFFECTS: "others.list, fixings.request" };

test("are called like operations of the contract", async () => {
  const { code, stdout } = await fxdesk(["call", "fixings.request", "--symbol", "EURUSD"], trusted);
  expect({ code, body: JSON.parse(stdout) as unknown }).toEqual({ code: 0, body: { rate: 1.25 } });
});

test("count as money unless their effect is trusted", async () => {
  const asked = sandbox.requests.length;
  const { code, stderr } = await fxdesk(["call", "fixings.request", "--symbol", "EURUSD"]);
  expect(code).toBe(2);
  expect(stderr).toContain(`With --yes, this request is sent:\n\nPOST ${sandbox.baseUrl}/fixings/EURUSD\n`);
  expect(sandbox.requests).toHaveLength(asked);
});

test.each(["10.000", "1,000"])(
  "the amount of a quote is not %s, which can mean two amounts",
  async (amount) => {
    const asked = sandbox.requests.length;
    const terms = `--amount ${amount} --operation sell --sell-currency EUR --buy-currency USD`;
    const { code, stderr } = await fxdesk(["call", "quotes.create", ...terms.split(" ")], {
      FXDESK_EXTENSIONS: require.resolve("../../sandbox/dist/extensions/extension.js"),
      FXDESK_EXTENSION_EFFECTS: "quotes.create",
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/--amount can mean 10* or 10*/);
    expect(sandbox.requests).toHaveLength(asked);
  },
);

test("are listed", async () => {
  expect((await fxdesk(["operations"])).stdout).toMatch(/^ {2}fixings\.request +money +Asks for/m);
  const { stdout } = await fxdesk(["operations", "--json"], trusted);
  expect(JSON.parse(stdout)).toHaveLength(callablesOf(fxdeskService).length + 1);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ name: "fixings.request", effect: "read" }),
  );
});

test("are not loaded by a command without operations", async () => {
  const given = { FXDESK_EXTENSIONS: "/nowhere.js" };
  expect((await fxdesk(["--help"], given)).code).toBe(0);
  expect((await fxdesk(["--version"], given)).code).toBe(0);
});

test.each([
  ["a relative path", "extension.js", "must be an absolute path"],
  ["no function", "module.exports = 1;", "must export a function"],
  ["an error", "module.exports = () => { throw new Error('No rates'); };", "cannot be used: No rates"],
])("%s is a usage error", async (_, content, message) => {
  const path = content.endsWith(".js") ? content : await writeModule(content);
  for (const command of ["operations", "openapi"]) {
    const ran = await fxdesk([command], { FXDESK_EXTENSIONS: path });
    expect(ran).toEqual(failure(2, message));
    expect(ran.stderr).toMatch(/^FXDESK_EXTENSIONS /);
  }
});
