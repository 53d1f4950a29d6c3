/** A second service with its own server, credentials, settings and error body. */
import { byFxdesk, defineService, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";

const Rate = z.object({ pair: z.string(), rate: z.number() });
const common = {
  server: "desk",
  credentials: ["deskKey", "deskToken?"],
  headers: { "X-Trace": byFxdesk(z.uuid(), "uuid") },
  errors: { 400: ["Wrong.", z.unknown()], 401: ["Nobody.", z.unknown()] },
  contract: "none",
} as const;
const get = { name: "rates.get", tool: "get_rate", title: "Get rate", summary: "Returns a rate." } as const;
const set = { name: "rates.set", tool: "set_rate", title: "Set rate", summary: "Sets a rate." } as const;
const [getRate, setRate] = [
  { effect: "read", method: "GET", path: "/v1/rates/{pair}", parameters: { pair: z.string().length(6) } },
  { effect: "change", method: "POST", path: "/v1/rates", body: Rate },
] as const;
const setting = (name: string, secret = true) => ({ name, title: name, description: `The ${name}.`, secret });

export const secondService = defineService({
  servers: { desk: { description: "The desk.", setting: "deskUrl" } },
  credentials: {
    deskKey: { kind: "header", header: "X-Desk-Key", setting: "deskKey", description: "Key." },
    deskToken: { kind: "bearer", header: "X-Desk-Token", setting: "accessToken", description: "Token." },
  },
  settings: [setting("deskUrl", false), setting("deskKey"), setting("accessToken")],
  requestIdHeader: "X-Trace",
  errorBodies: [{ messages: ["errors"], code: ["id"], message: ["text"], details: [] }],
  operations: [
    operation({ ...common, ...get, ...getRate, responses: { 200: json(Rate, "The rate.") } }),
    operation({ ...common, ...set, ...setRate, responses: { 201: json(Rate, "The rate.") } }),
  ],
});
