/** The attacks: each changes a scene and returns what it did. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { environmentName } from "@fxdesk/toolkit";
import { demo } from "@fxdesk/sandbox";
import { loadPeople } from "../../../core/people/people-file";
import { recordDecision } from "../../../core/releases/decide";
import { loadPolicy } from "../../../core/releases/policy";
import { changeReleases, getRelease } from "../../../core/releases/repository";
import { withStore } from "../../../core/store/open";
import { StoreSession } from "../../../core/store/session";
import { writePeople } from "../../support/people-file";
import { environmentOf, program } from "../../cli/run-command";
import { type AttackScene, moneyKinds } from "./attack-scene";
import {
  copyRow,
  editRow,
  removeRow,
  insertRow,
  restoreRows,
  type Snapshot,
  takeSnapshot,
} from "./attack-rows";
import { people } from "./release-fixture";

/** Changes a scene, of which an earlier state of the store is known. Returns a description. */
type Attack = (scene: AttackScene, earlier: Snapshot) => Promise<string>;

/** Tries until the database accepts an edit; it refuses wrong types and repeated keys. */
async function untilAccepted(attempt: () => Promise<string>): Promise<string> {
  for (let left = 20; ; left -= 1)
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) return `no edit: ${(error as Error).message}`;
    }
}

/** Tables that matter to money are edited more often. */
const pickTable = (scene: AttackScene, now: Snapshot): string => {
  const filled = [...now].filter(([, rows]) => rows.length > 0).map(([name]) => name);
  const important = filled.filter((name) => /releases|decisions|journal/.test(name));
  return scene.pickOne(scene.chance.next() < 0.8 ? important : filled);
};

const edits =
  (hasKey: boolean): Attack =>
  (scene, earlier) =>
    withStore(scene.place.store, async (store) => {
      const done: string[] = [];
      for (let left = scene.chance.integer(1, 3); left > 0; left -= 1)
        done.push(
          await untilAccepted(async () => {
            const now = await takeSnapshot(scene.place.store);
            return editRow(store, scene.chance, { now, earlier, name: pickTable(scene, now), hasKey });
          }),
        );
      return done.join("; ");
    });

const rowChanges: Attack = (scene, earlier) =>
  withStore(scene.place.store, (store) =>
    untilAccepted(async () => {
      const { chance } = scene;
      const now = await takeSnapshot(scene.place.store);
      const name = pickTable(scene, now);
      const rows = now.get(name)!;
      const row = scene.pickOne(rows);
      const isOfRelease = (other: typeof row) =>
        Object.values(other).some((value) => Object.values(row).includes(value));
      switch (chance.pick({ remove: 2, removeAll: 1, earlierRow: 3, earlierTable: 2, copy: 2 })) {
        case "remove":
          await removeRow(store, name, row);
          return `removes a row of ${name}: ${JSON.stringify(row)}`;
        case "removeAll":
          for (const each of rows.filter(isOfRelease)) await removeRow(store, name, each);
          return `removes related rows of ${name}`;
        case "earlierRow": {
          const before = scene.pickOne(earlier.get(name) ?? []);
          await removeRow(store, name, before);
          await insertRow(store, name, before);
          return `restores an earlier row of ${name}: ${JSON.stringify(before)}`;
        }
        case "earlierTable":
          await restoreRows(store, earlier, [name]);
          return `restores the earlier rows of ${name}`;
        case "copy":
          return copyRow(store, chance, { rows, name, hasKey: chance.next() < 0.5 });
      }
    }),
  );

const restoredStore: Attack = (scene, earlier) =>
  withStore(scene.place.store, async (store) => {
    const names = [...earlier.keys()].filter(
      (name) => name !== "fxdesk_meta" && (scene.chance.next() < 0.7 || /journal/.test(name)),
    );
    await restoreRows(store, earlier, names);
    return `restores the earlier rows of ${names.join(", ")}`;
  });

/** Releases all that wait, by decisions that are signed with the key of another people file. */
const forgedDecisions: Attack = async (scene) => {
  const { place } = scene;
  const otherPath = join(place.folder, "other-people.json");
  await rm(otherPath, { force: true });
  await writePeople(
    otherPath,
    people.filter((name) => name !== "desk"),
    ["desk"],
  );
  const [mine, loaded] = [
    await loadPeople(otherPath),
    await loadPolicy(place.policyPath, place.files.service, undefined),
  ];
  // The epochs are not secret.
  const real = await loadPeople(place.peoplePath);
  const store = new StoreSession(place.store);
  const waiting = scene.intents.filter(({ isReleased, release }) => !isReleased && release !== undefined);
  for (const { release } of waiting)
    for (const person of ["anna", "bert"])
      await changeReleases(store, async (access) => {
        const { hash: seal } = await getRelease(access, release!);
        const forger = { ...real, key: mine.key };
        return recordDecision(access, release!, {
          person,
          decision: "release",
          seal,
          policy: loaded,
          people: forger,
          factors: ["secret"],
        });
      }).catch(() => undefined);
  await store.close();
  const liar = scene.client("sender", { people: otherPath });
  // The other file does not know the requester, who then hears nothing about earlier calls.
  for (const intent of scene.intents.filter(({ isReleased }) => isReleased)) await intent.call(liar);
  await liar.close();
  return `forges decisions on ${waiting.map(({ reference }) => reference).join(", ")}`;
};

type Path = readonly (string | number)[];

function pathsOf(data: unknown, path: Path = []): Path[] {
  if (typeof data !== "object" || data === null) return [path];
  const names = Array.isArray(data) ? data.keys() : Object.keys(data);
  return [
    ...(path.length > 0 ? [path] : []),
    ...[...names].flatMap((name) => pathsOf((data as never)[name], [...path, name])),
  ];
}

/** Returns a copy of JSON data in which `change` replaced the members of the parent of a path. */
function changeAt(
  data: unknown,
  [name, ...rest]: Path,
  change: (entries: [string, unknown][], name: string) => [string, unknown][],
): unknown {
  const entries = Object.entries(data as object);
  const changed =
    rest.length > 0
      ? entries.map(([key, value]): [string, unknown] => [
          key,
          key === String(name) ? changeAt(value, rest, change) : value,
        ])
      : change(entries, String(name));
  return Array.isArray(data) ? changed.map(([, value]) => value) : Object.fromEntries(changed);
}

const misspell = (scene: AttackScene, text: string): string => {
  const at = scene.chance.integer(0, text.length - 1);
  return scene.pickOne([
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + text[at]! + text.slice(at),
    text.toUpperCase(),
    `${text} `,
  ]);
};

function mistakenPolicy(scene: AttackScene): { readonly text: string; readonly what: string } {
  const { chance, policy } = scene;
  const path = scene.pickOne(pathsOf(policy));
  const what = path.join(".");
  const replace = (value: unknown) =>
    JSON.stringify(
      changeAt(policy, path, (entries, name) =>
        entries.map(([key, each]) => [key, key === name ? value : each]),
      ),
    );
  switch (chance.pick({ rename: 3, repeat: 2, blank: 3, type: 3, unknown: 2, cut: 1 })) {
    case "rename": {
      const named = path.findLastIndex((part) => typeof part === "string");
      const renamed = path.slice(0, named + 1);
      const other = misspell(scene, String(renamed.at(-1)));
      const text = JSON.stringify(
        changeAt(policy, renamed, (entries, name) =>
          entries.map(([key, each]) => [key === name ? other : key, each]),
        ),
      );
      return { text, what: `${renamed.join(".")} renamed to ${other}` };
    }
    case "repeat": {
      const [name, value] = scene.pickOne<[string, unknown]>([
        ["rules", []],
        ["limits", {}],
        ["people", ["desk", "eve"]],
      ]);
      return {
        text: `${JSON.stringify(policy).slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`,
        what: `${name} repeated`,
      };
    }
    case "blank": {
      const old = path.reduce<unknown>((data, part) => (data as never)[part], policy);
      const blank = Array.isArray(old) ? [] : typeof old === "object" ? {} : scene.pickOne(["", " ", null]);
      return { text: replace(blank), what: `${what} blanked` };
    }
    case "type": {
      const other = scene.pickOne<unknown>([true, 5, "x", [[]], { x: 1 }, 1e21, null]);
      return { text: replace(other), what: `${what} replaced by ${JSON.stringify(other)}` };
    }
    case "unknown": {
      const other = scene.pickOne(["payment.initiate", "trades.*", "eve", "money ", "Anna", "*"]);
      return { text: replace(other), what: `${what} replaced by ${other}` };
    }
    case "cut": {
      const text = JSON.stringify(policy);
      return { text: text.slice(0, chance.integer(0, text.length - 1)), what: "cut off" };
    }
  }
}

/** While the policy has a mistake, executors run, and callers repeat all requests and make new ones. */
const mistake: Attack = async (scene) => {
  const { text, what } = mistakenPolicy(scene);
  await writeFile(scene.place.policyPath, text);
  const client = scene.client("sender");
  const additional = moneyKinds.map((kind) => scene.add(kind, "8000"));
  for (const intent of [...additional, scene.add("change", "0"), ...scene.intents])
    await scene.hear(intent, client);
  await client.close();
  await scene.execute();
  await scene.place.setPolicy(scene.policy);
  return what;
};

const spellings = [
  "1e4",
  "1E4",
  "2,000",
  "2.000,00",
  "2'000",
  " 2000",
  "2000 ",
  "+2000",
  "-2000",
  "٢٠٠٠",
  "２０００",
  "0x7d0",
  "2000.",
  ".5e4",
  "02000",
  "2000.001",
  "NaN",
  "Infinity",
  "1e400",
  "99999999999999999999",
  "2000\u0000",
  "2_000",
  "",
  "0",
  "-0",
  "1200.00",
];
const otherTypes: readonly unknown[] = [
  2_000,
  1e21,
  -5,
  2_000.123456789,
  Number.NaN,
  null,
  undefined,
  ["2000"],
  { amount: "2000" },
  true,
];

/** Requests amounts in other spellings, which no person releases. */
const spelling: Attack = async (scene) => {
  const client = scene.client("sender");
  const done: string[] = [];
  for (let left = 6; left > 0; left -= 1) {
    const amount = scene.chance.next() < 0.7 ? scene.pickOne(spellings) : scene.pickOne(otherTypes);
    const kind = scene.pickOne(moneyKinds);
    done.push(`${kind} of ${JSON.stringify(amount)}`);
    await scene.hear(scene.add(kind, amount as string), client);
  }
  await client.close();
  return done.join(", ");
};

/** Executors, callers and people act at the same moment, one of them with another people file. */
const race: Attack = async (scene) => {
  const otherPath = join(scene.place.folder, "racing-people.json");
  await writePeople(
    otherPath,
    people.filter((name) => name !== "desk"),
    ["desk"],
  );
  const more = Array.from({ length: 3 }, () => scene.add(scene.pickOne(moneyKinds), "4000"));
  for (const intent of more) await scene.hear(intent, scene.client("requester"));
  const clients = [scene.client("sender"), scene.client("sender")];
  const stranger = scene.client("sender", { people: otherPath });
  const decide = async () => {
    for (const intent of more.slice(1)) await scene.release(intent);
  };
  await Promise.all([
    decide(),
    scene.execute(),
    scene.execute(),
    ...clients.flatMap((client) => scene.intents.map((intent) => scene.hear(intent, client))),
    ...scene.intents.map((intent) => intent.call(stranger)),
  ]);
  await Promise.all([...clients, stranger].map((client) => client.close()));
  return `races for ${scene.intents.map(({ reference, kind }) => `${reference} (${kind})`).join(", ")}`;
};

const builtExtension = join(__dirname, "../../../sandbox/dist/extensions/extension.js");

function spawnExecutor({ place }: AttackScene): ChildProcess {
  const { clientId, contactId, accessToken, apiKey } = demo;
  const { baseUrl, xs2aUrl, extension } = place.sandbox;
  const settings = {
    baseUrl,
    xs2aUrl,
    clientId,
    contactId,
    accessToken,
    apiKey,
    timeoutMs: "1000",
    queueTimeoutMs: "1000",
    store: place.store.location,
    storeKey: place.store.key!.toString("base64"),
    actor: "desk",
    policy: place.policyPath,
    people: place.peoplePath,
    extensions: builtExtension,
    extensionEffects: extension.effects.join(","),
  };
  const variables = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [environmentName(name), value]),
  );
  return spawn(process.execPath, [program, "releases", "run"], {
    env: environmentOf(variables) as NodeJS.ProcessEnv,
    stdio: "ignore",
  });
}

/** Kills an executor, at a random moment around its first request. */
const kill: Attack = async (scene) => {
  const more = [scene.add("payment", "2000"), scene.add("order", "2000"), scene.add("bulk", "1500")];
  for (const intent of more) {
    await scene.hear(intent, scene.client("requester"));
    await scene.release(intent);
  }
  const { requests } = scene.place.sandbox;
  const [before, limit] = [requests.length, performance.now() + 5_000];
  const executor = spawnExecutor(scene);
  const ended = once(executor, "exit");
  while (requests.length <= before && performance.now() < limit) await pause(1);
  await pause(scene.chance.integer(0, 40));
  executor.kill("SIGKILL");
  await ended;
  return `kills an executor after ${requests.length - before} requests`;
};

export const attacks = {
  edits: { weight: 5, apply: edits(false) },
  "edits with the store key": { weight: 5, apply: edits(true) },
  "rows removed, restored or copied": { weight: 4, apply: rowChanges },
  "an earlier store": { weight: 2, apply: restoredStore },
  "forged decisions": { weight: 1, apply: forgedDecisions },
  "a policy with one mistake": { weight: 4, apply: mistake },
  "amounts in other spellings": { weight: 2, apply: spelling },
  "a race": { weight: 2, apply: race },
  "a killed executor": { weight: 1, apply: kill },
} as const satisfies Record<string, { readonly weight: number; readonly apply: Attack }>;
