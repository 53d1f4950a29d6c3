/** More releases than a client lists. */
import { createClient } from "@fxdesk/toolkit";
import { StoreSession } from "../../../core/store/session";
import { ReleaseService } from "../../../core/releases/release-service";
import { closeLater, tempFolder } from "../../support/resources";
import { key } from "../store/engines";
import { sampleRequest } from "./sample-requests";

test("lists the newest 1,000 releases of the environment, and reports that there are more", async () => {
  const location = `${await tempFolder()}/store.db`;
  const desk = closeLater(new ReleaseService(new StoreSession({ location, key })));
  const baseUrl = "http://127.0.0.1:1";
  const environment = `api ${baseUrl}`;
  const client = closeLater(createClient({ baseUrl, store: location, storeKey: key.toString("base64") }));
  await desk.request(sampleRequest("elsewhere"));
  for (let count = 0; count < 1_000; count += 1)
    await desk.request(sampleRequest(String(count), { environment }));
  const whole = await client.orders.list();
  expect([whole.releases.length, whole.complete]).toEqual([1_000, true]);
  await desk.request(sampleRequest("one more", { environment }));
  const newest = await client.orders.list({ states: ["waiting"] });
  expect([newest.releases.length, newest.complete]).toEqual([1_000, false]);
});
