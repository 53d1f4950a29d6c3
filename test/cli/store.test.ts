/** fxdesk store check. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withStore } from "../../core/store/open";
import { saveTokens } from "../../core/store/tokens";
import { fxdesk } from "./run";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "fxdesk-store-"))));
afterAll(() => rm(folder, { recursive: true }));

const key = Buffer.alloc(32, 7);
const pair = { accessToken: "access-1", refreshToken: "refresh-1", remainingMs: 1_000 };

const check = (place: string, ...flags: string[]) =>
  fxdesk(["store", "check", ...flags], {
    variables: { FXDESK_STORE: place, FXDESK_STORE_KEY: key.toString("base64") },
  });

test("says where it is and what is in it", async () => {
  const place = join(folder, "sound.db");
  await withStore({ place, key }, (store) => saveTokens(store, "family", 0, pair));
  expect(JSON.parse((await check(place, "--json")).stdout)).toEqual({
    store: place,
    version: 1,
    encrypted: true,
    tokens: 1,
    faults: [],
  });
  const { code, stdout } = await check("/nowhere", "--store", place);
  expect(code).toBe(0);
  for (const words of [place, "version 1", "yes"]) expect(stdout).toContain(words);
});

test("what cannot be read is a fault", async () => {
  const place = join(folder, "another.db");
  await withStore({ place, key: Buffer.alloc(32) }, (store) => saveTokens(store, "family", 0, pair));
  const { code, stdout } = await check(place);
  expect(code).toBe(1);
  expect(stdout).toContain("another FXDESK_STORE_KEY");
});

test("one that cannot be opened is an error that says what to do", async () => {
  const place = join(folder, "open.db");
  await withStore({ place, key }, async () => undefined);
  await chmod(place, 0o644);
  const { code, stderr } = await check(place);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`chmod 600 ${place}`) as string,
  });
});

test.each([
  [{ FXDESK_STORE: "store.db" }, "FXDESK_STORE or --store must be the absolute path"],
  [{ FXDESK_STORE_KEY: "short" }, "FXDESK_STORE_KEY must be 32 bytes"],
  [{ FXDESK_STORE: "postgres://localhost/x" }, "FXDESK_STORE_KEY is needed"],
])("%j is a mistake of usage", async (variables, words) => {
  const { code, stderr } = await fxdesk(["store", "check"], {
    variables: variables as Record<string, string>,
  });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test("its key is never a flag", async () => {
  const { code, stderr } = await fxdesk(["store", "check", "--store-key", "abc"]);
  expect(code).toBe(2);
  expect(stderr).not.toContain("abc");
});

test.each([[[]], [["move"]]])("fxdesk store %j says what there is", async (words) => {
  const { code, stderr } = await fxdesk(["store", ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain("fxdesk store check");
});
