/** Operations with several media types: JSON is parsed, others are returned as text. */
import { z } from "zod";
import { createClient, InvalidResponse } from "../../../core";
import { contract, json, operation, orText } from "../../../core/operations";
import { faultServer, type FaultServer, respond } from "../../support/fault-server";

const report = operation({
  name: "reports.get",
  tool: "get_report",
  title: "Get report",
  summary: "Returns a report.",
  effect: "read",
  method: "GET",
  path: "/report",
  server: "service",
  credentials: [],
  headers: { Accept: z.enum(["application/json", "application/xml"]).optional() },
  responses: {
    200: orText(json(z.object({ count: z.int() }), "The report."), {
      mediaTypes: ["application/xml", "text/plain"],
      field: "Accept",
      values: ["application/xml"],
    }),
  },
  errors: {},
  contract: "",
});

let server: FaultServer;
afterEach(() => server.close());

async function getReport(contentType: string, body: string, input: { Accept?: "application/xml" } = {}) {
  server = await faultServer(respond(200, body, { "content-type": contentType }));
  const client = createClient({ baseUrl: server.url }, { ...contract, operations: [report] as const });
  try {
    return await client.reports.get(input);
  } finally {
    await client.close();
  }
}

test.each([
  ["application/json", '{"count":1}', { count: 1 }],
  ["application/xml; charset=utf-8", "<report/>", "<report/>"],
  ["Text/Plain", ":20:1", ":20:1"],
  ["application/json", '"1"', "1"],
])("reads %s %s as %j", async (contentType, body, expected) => {
  expect(await getReport(contentType, body)).toEqual(expected);
});

test("has no text in its type unless text is requested", async () => {
  server = await faultServer(respond(200, '{"count":1}'));
  const client = createClient({ baseUrl: server.url }, { ...contract, operations: [report] as const });
  const { count } = await client.reports.get({ Accept: "application/json" });
  // @ts-expect-error: a request for XML may return text.
  const { length } = await client.reports.get({ Accept: "application/xml" });
  await client.close();
  expect([count, length]).toEqual([1, undefined]);
});

test("refuses text of an undeclared media type", async () => {
  await expect(getReport("text/html", "<p>")).rejects.toBeInstanceOf(InvalidResponse);
});

test.each([
  [{}, "application/json, */*;q=0.8"],
  [{ Accept: "application/xml" } as const, "application/xml"],
])("sends %j as Accept: %s", async (input, accept) => {
  await getReport("application/xml", "<report/>", input);
  const accepted = [...server.heads[0]!.matchAll(/^accept: (.*)\r$/gim)].map(([, value]) => value);
  expect(accepted).toEqual([accept]);
});
