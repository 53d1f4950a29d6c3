/**
 * Two Node-REDs that share a store compete for a watch while either is killed at any moment: no payment is lost, and repeated
 * deliveries are marked. FXDESK_RUNS is the number of payments on each engine, FXDESK_SEED determines when processes die.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setInterval as beats, setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import type { Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { environmentName } from "@fxdesk/toolkit";
import { withStore } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { engines } from "../core/store/engines";
import { demoEnvironment } from "../mcp/support/clients";
import { eventually, untilEvent } from "../support/eventually";
import { tempFolder } from "../support/resources";
import { tab } from "./support/flows";
import { type FlowNode, linkedUserDir, NodeRed, type NodeRedOptions } from "./support/node-red";

const payments = Number(process.env.FXDESK_RUNS ?? 100);
const minKills = Math.ceil(payments / 25);
const paymentEveryMs = 75;

/** Maximum lifetime of a process after its flows have started. */
const maxLifeMs = 4_000;

/** Maximum time from the last payment to the last report. */
const completionTimeoutMs = 180_000;

/** Lease time of a dead process; the default is 30 s. */
const deadLeaseMs = 2_000;

interface ReportedChange {
  readonly reference: string | undefined;
  readonly kind: string;
  readonly repeated: boolean;
  /** Milliseconds since 1970, when it was written. */
  readonly writtenAt: number;
}

/**
 * Records each delivered change. Pauses before and after, so that processes are often killed in the middle of a delivery.
 */
const reportScript = `const { payload, fxdesk } = msg;
const { kind, repeated } = fxdesk;
const told = { reference: payload.transaction_reference, kind, repeated, writtenAt: Date.now() };
const work = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
work(10);
fs.appendFileSync(env.get("TOLD"), JSON.stringify(told) + "\\n");
work(25);`;

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
    func: reportScript,
    libs: [{ var: "fs", module: "fs" }],
    outputs: 0,
    wires: [],
  },
];

async function kill({ process, log }: NodeRed): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null)
    throw new Error(`Node-RED ended by itself:\n${log.join("\n")}`);
  const ended = untilEvent(process, "exit");
  process.kill("SIGKILL");
  await ended;
}

/** Creates a file for the reported changes and a function that reads it. */
async function createReportFile() {
  const file = join(await tempFolder(), "told.jsonl");
  const told = async (): Promise<ReportedChange[]> => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line ? [JSON.parse(line) as ReportedChange] : []));
  };
  return { file, told };
}

const optionsFor = (sandbox: Sandbox, { location, key }: StoreSettings, file: string) =>
  ({
    env: {
      ...demoEnvironment(sandbox),
      [environmentName("store")]: location,
      [environmentName("storeKey")]: key!.toString("base64"),
      TOLD: file,
    },
    settings: { functionExternalModules: true },
  }) satisfies NodeRedOptions;

/** Cuts short what a process that died may hold. Whoever is alive holds it longer with the next change that it tells. */
const shortenLeases = (store: StoreSettings) =>
  withStore(store, ({ database: { run, now } }) =>
    run(`UPDATE fxdesk_watches SET lease_expires_at = ${now} + $1 WHERE lease_expires_at > ${now} + $1`, [
      deadLeaseMs,
    ]),
  );

/** Runs Node-RED with the flow again and again, each time until it is killed at some moment, until the signal ends that. */
async function runAndKillRepeatedly(
  options: NodeRedOptions,
  nextLifeMs: () => number,
  stopSignal: AbortSignal,
  onKilled: () => Promise<unknown>,
): Promise<void> {
  const userDir = await linkedUserDir();
  for (let isNew = true; !stopSignal.aborted; isNew = false) {
    const nodeRed = await NodeRed.start({ ...options, userDir });
    if (isNew) await nodeRed.deploy(flow);
    // Rejects when all is over: then it dies at once.
    await wait(nextLifeMs(), undefined, { signal: stopSignal }).catch(() => undefined);
    await kill(nodeRed);
    await onKilled();
  }
}

/** Lets payments come in at a steady rate until there are enough, and returns their references. */
async function payInSteadily(sandbox: Sandbox, isEnough: (number: number) => boolean): Promise<string[]> {
  const paid: string[] = [];
  for await (const _ of beats(paymentEveryMs)) {
    const reference = `paid-${paid.length + 1}`;
    sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference });
    paid.push(reference);
    if (isEnough(paid.length)) break;
  }
  return paid;
}

describe.each(engines())("$name", ({ create }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox({ daysBehind: 2 });
  });
  test(
    `${payments} payments, each delivered by one of two processes or marked as repeated, while either is killed`,
    async () => {
      const store = await create();
      const [one, other] = [await createReportFile(), await createReportFile()];
      const ofPayments = ({ reference }: ReportedChange) => reference?.startsWith("paid-");
      const told = async () => [...(await one.told()), ...(await other.told())].filter(ofPayments);
      let paid: string[] = [];
      const lives = fc.sample(fc.integer({ min: 0, max: maxLifeMs }), 1_000);
      let begun = 0;
      // After the last payment, started processes live until all changes are delivered.
      const nextLifeMs = () => (paid.length > 0 ? completionTimeoutMs : lives[(begun += 1) % lives.length]!);
      let kills = 0;
      const over = new AbortController();
      const onKilled = () => {
        kills += 1;
        return shortenLeases(store);
      };
      const competing = Promise.all(
        [one, other].map(({ file }) =>
          runAndKillRepeatedly(optionsFor(sandbox, store, file), nextLifeMs, over.signal, onKilled),
        ),
      );
      competing.catch(() => over.abort());
      try {
        const isEnough = (number: number) => number >= payments && kills >= minKills;
        paid = await payInSteadily(sandbox, (number) => over.signal.aborted || isEnough(number));
        const outstanding = new Set(paid);
        const isHeard = async () => {
          for (const { reference } of await told()) outstanding.delete(reference!);
          return over.signal.aborted || outstanding.size === 0;
        };
        const what = () => `${outstanding.size} of ${paid.length} payments, after ${kills} kills`;
        await eventually(isHeard, { withinMs: completionTimeoutMs, what });
      } finally {
        over.abort();
        await competing;
      }
      const tellings = new Map<string, ReportedChange[]>(paid.map((reference) => [reference, []]));
      const all = (await told()).toSorted((first, second) => first.writtenAt - second.writtenAt);
      for (const each of all) tellings.get(each.reference!)!.push(each);
      expect(all.filter(({ kind }) => kind !== "new")).toEqual([]);
      expect(paid.filter((reference) => tellings.get(reference)!.length === 0)).toEqual([]);
      const again = [...tellings.values()].flatMap(([, ...later]) => later);
      expect(again.filter(({ repeated }) => !repeated)).toEqual([]);
      // What is repeated was in hand when a process died, or took too long: at most one change for each time it was freed.
      expect(all.filter(({ repeated }) => repeated).length).toBeLessThanOrEqual(kills);
    },
    240_000 + payments * 300,
  );
});
