/**
 * Two processes compete for one watch and are killed at random while 10,000 entries change: each change is delivered
 * once or marked as repeated, and none is lost. FXDESK_RUNS sets the number of changes per engine, FXDESK_SEED the
 * times of death.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import type { StoreSettings } from "../../../core/store/settings";
import { eventually } from "../../support/eventually";
import { listen } from "../../support/resources";
import { engines } from "../store/engines";

const changeCount = Number(process.env.FXDESK_RUNS ?? 1_000);
const batch = 500;
const holdMs = 300;

interface PrintedChange {
  readonly kind: string;
  readonly id: string;
  readonly v: number | undefined;
  readonly cursor: string;
  readonly repeated: boolean;
}

/** Watches until killed, and prints each change before requesting the next one. */
const program = ({ location, key }: StoreSettings, url: string) => `
  const root = ${JSON.stringify(join(__dirname, "../../../dist/core"))};
  const { createClient } = require(root);
  const { contract, defineService, json, watchFor } = require(root + "/operations.js");
  const { z } = require("zod");
  const things = watchFor()({
    name: "things.watch", tool: "watch_things", title: "Watch things", summary: "Tells things.", uses: [], input: {},
    output: json(z.object({ id: z.string(), v: z.number() }), "A thing."),
    defaultStart: "beginning", everyMs: 20, reportsGone: true,
    read: async () => ({ entries: await (await fetch(${JSON.stringify(url)})).json(), gaps: [] }),
    identify: ({ id }) => id,
    state: ({ v }) => ({ v }),
  });
  const client = createClient({
    baseUrl: "http://127.0.0.1:9", clientId: "c-1", store: ${JSON.stringify(location)},
    storeKey: ${JSON.stringify(key!.toString("base64"))},
  }, defineService({ ...contract, watches: [things] }));
  (async () => {
    console.log("ready");
    for await (const { kind, id, entry, cursor, repeated } of client.things.watch({}, { holdMs: ${holdMs} }))
      console.log(JSON.stringify({ kind, id, v: entry?.v, cursor, repeated }));
  })().catch((error) => { console.error(error); process.exit(1); });`;

/** Runs a process and kills it some time after its start. Passes its output on line by line. */
async function runUntilKilled(
  settings: StoreSettings,
  url: string,
  lifeMs: number,
  onChange: (change: PrintedChange) => void,
): Promise<void> {
  const child = spawn(process.execPath, ["-e", program(settings, url)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, "exit");
  const closed = once(lines, "close");
  const ready = once(lines, "line");
  lines.on("line", (line) => line !== "ready" && onChange(JSON.parse(line) as PrintedChange));
  await Promise.race([ready, exited]);
  await wait(lifeMs);
  child.kill("SIGKILL");
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  await closed;
}

/** Changes several entries, each at most once. Returns the changes. */
function applyChanges(things: Map<string, number>, number: number, next: () => string): Set<string> {
  const expected = new Set<string>();
  const old = [...things];
  for (let index = 0; index < number; index += 1) {
    const thing = index % 2 === 0 ? undefined : old.shift();
    if (!thing) {
      const id = next();
      things.set(id, 1);
      expected.add(`new ${id} 1`);
    } else if (index % 8 === 7) {
      things.delete(thing[0]);
      expected.add(`gone ${thing[0]} undefined`);
    } else {
      things.delete(thing[0]);
      things.set(thing[0], thing[1] + 1);
      expected.add(`changed ${thing[0]} ${thing[1] + 1}`);
    }
  }
  return expected;
}

describe.each(engines())("$name", ({ create }) => {
  test(
    `delivers ${changeCount} changes once or marked while processes are killed`,
    async () => {
      const settings = await create();
      const things = new Map<string, number>();
      const server = createServer((_, response) => {
        response.end(JSON.stringify([...things].map(([id, v]) => ({ id, v }))));
      });
      const url = `http://127.0.0.1:${await listen(server)}/`;
      const delivered: PrintedChange[] = [];
      const outstanding = new Set<string>();
      const expected = new Set<string>();
      const onTold = (each: PrintedChange) => {
        delivered.push(each);
        outstanding.delete(`${each.kind} ${each.id} ${each.v}`);
      };
      // Long enough for some processes to start working, so that they die at any point of it.
      const lives = fc.sample(fc.integer({ min: 0, max: 10_000 }), 1_000);
      let kills = 0;
      const over = new AbortController();
      const competing = [0, 1].map(async () => {
        while (!over.signal.aborted) {
          await runUntilKilled(settings, url, lives[kills % lives.length]!, onTold);
          kills += 1;
        }
      });
      let number = 0;
      try {
        while (expected.size < changeCount) {
          const some = applyChanges(
            things,
            Math.min(batch, changeCount - expected.size),
            () => `t${(number += 1)}`,
          );
          for (const each of some) {
            outstanding.add(each);
            expected.add(each);
          }
          await eventually(() => outstanding.size === 0, {
            withinMs: 180_000,
            what: () => `${outstanding.size} changes, after ${kills} kills`,
          });
        }
      } finally {
        over.abort();
        await Promise.all(competing);
      }
      const first = new Set<string>();
      const unmarked: PrintedChange[] = [];
      for (const each of delivered) if (!each.repeated) unmarked.push(each);
      for (const { cursor } of unmarked) {
        expect(first.has(cursor)).toBe(false);
        first.add(cursor);
      }
      const found = new Set(delivered.map(({ kind, id, v }) => `${kind} ${id} ${v}`));
      expect([...expected].filter((each) => !found.has(each))).toEqual([]);
      expect([...found].filter((each) => !expected.has(each))).toEqual([]);
      expect(new Set(delivered.map(({ cursor }) => cursor)).size).toBe(expected.size);
      // Each killed process can cause at most one repetition.
      expect(delivered.length - unmarked.length).toBeLessThanOrEqual(kills);
      expect(kills).toBeGreaterThan(1);
    },
    60_000 + changeCount * 100,
  );
});
