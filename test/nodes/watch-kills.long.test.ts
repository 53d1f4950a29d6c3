/** Node-RED is killed while it tells a change: nobody can say whether that was heard, and it is told again, marked as repeated. */
import { readFile, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { environmentName } from "@fxdesk/toolkit";
import { engines, folder } from "../core/store/engines";
import { demoEnvironment } from "../mcp/support/clients";
import { eventually, happens } from "../support/eventually";
import { tab } from "./support/flows";
import { type FlowNode, NodeRed, type NodeRedOptions } from "./support/node-red";

interface Told {
  readonly reference: string;
  readonly repeated: boolean;
}

/** Writes down what it is told, and dies of the payment when it is told of it first. */
const dying = `const { payload, fxdesk } = msg;
const told = { reference: payload.transaction_reference, repeated: fxdesk.repeated };
const died = env.get("TOLD") + ".died";
if (told.reference !== "DEADLY" || fs.existsSync(died))
  fs.appendFileSync(env.get("TOLD"), JSON.stringify(told) + "\\n");
else {
  fs.writeFileSync(died, "");
  process.kill(process.pid, "SIGKILL");
}`;

const flow: readonly FlowNode[] = [
  tab,
  { id: "connection", type: "fxdesk-connection", name: "Sandbox", fromEnvironment: true },
  {
    id: "watch",
    type: "fxdesk-watch-transactions",
    z: tab.id,
    connection: "connection",
    fields: {},
    every: "0.1",
    from: "beginning",
    wires: [["told"], []],
  },
  {
    id: "told",
    type: "function",
    z: tab.id,
    func: dying,
    libs: [
      { var: "fs", module: "fs" },
      { var: "process", module: "process" },
    ],
    outputs: 0,
    wires: [],
  },
];

async function killed({ process }: NodeRed): Promise<void> {
  const ended = happens(process, "exit");
  process.kill("SIGKILL");
  await ended;
}

const files = folder();

/** Where what is told is written, and what was so far. */
function toldFile() {
  const file = join(files.path, `${randomUUID()}.jsonl`);
  const told = async (): Promise<Told[]> => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line ? [JSON.parse(line) as Told] : []));
  };
  return { file, told };
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ daysBehind: 2 });
});
afterAll(() => sandbox.close());

const optionsFor = async (create: ReturnType<typeof engines>[number]["create"], file: string) => {
  const { place, key } = await create();
  return {
    env: {
      ...demoEnvironment(sandbox),
      [environmentName("store")]: place,
      [environmentName("storeKey")]: key!.toString("base64"),
      TOLD: file,
    },
    settings: { functionExternalModules: true },
  } satisfies NodeRedOptions;
};

describe.each(engines())("$name", ({ create }) => {
  test("what kills who is told of it is told again, marked as repeated", async () => {
    const { file, told } = toldFile();
    const options = await optionsFor(create, file);
    const first = await NodeRed.start(options);
    const died = happens(first.process, "exit");
    await first.deploy(flow);
    sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: "DEADLY" });
    await died;
    const second = await NodeRed.start({ ...options, userDir: first.userDir });
    try {
      const again = async () => (await told()).find(({ reference }) => reference === "DEADLY");
      expect(await eventually(again, { withinMs: 120_000, what: "the payment" })).toMatchObject({
        repeated: true,
      });
    } finally {
      await killed(second);
      await rm(first.userDir, { recursive: true, force: true });
    }
  }, 300_000);
});
