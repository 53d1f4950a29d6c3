/** More releases than a client lists. */
import { createClient } from "@fxdesk/toolkit";
import { KeptStore } from "../../../core/journal/kept-store";
import { ReleaseDesk } from "../../../core/releases/desk";
import { folder, key } from "../store/engines";
import { wish } from "./wishes";

const files = folder();

test("a client lists the newest 1,000 of its environment, and tells that there are more", async () => {
  const place = `${files.path}/store.db`;
  const desk = new ReleaseDesk(new KeptStore({ place, key }));
  const baseUrl = "http://127.0.0.1:1";
  const environment = `api ${baseUrl}`;
  const client = createClient({ baseUrl, store: place, storeKey: key.toString("base64") });
  await desk.ask(wish("elsewhere"));
  for (let count = 0; count < 1_000; count += 1) await desk.ask(wish(String(count), { environment }));
  const whole = await client.orders.list();
  expect([whole.releases.length, whole.complete]).toEqual([1_000, true]);
  await desk.ask(wish("one more", { environment }));
  const newest = await client.orders.list({ states: ["waiting"] });
  expect([newest.releases.length, newest.complete]).toEqual([1_000, false]);
  await client.close();
  await desk.close();
});
