/** Tests forcing every documented status of every operation. */
import { type Declaration, encodeRequest, fieldsOf, operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { ask } from "./support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Request that matches the route and is otherwise invalid. */
function request(operation: Declaration) {
  const path = fieldsOf(operation).filter(({ location }) => location === "path");
  const values = Object.fromEntries(path.map(({ name, options }) => [name, options?.[0] ?? "something"]));
  const { target } = encodeRequest(operation, values);
  return ask(sandbox, target.split("?")[0]!, { method: operation.method });
}

const statuses = operations.flatMap((operation: Declaration) =>
  [...Object.keys(operation.responses), ...Object.keys(operation.errors)].map(
    (status) => [operation.name, Number(status), operation] as const,
  ),
);

/** Returns the body schema of a status: undefined without a body, null if it is not JSON. */
function bodyOf({ responses, errors }: Declaration, status: number) {
  const response = responses[status];
  if (!response) return typeof errors[status] === "string" ? undefined : errors[status]![1];
  if (response.kind === "json") return response.schema;
  return response.kind === "empty" ? undefined : null;
}

test.each(statuses)("%s responds with %i with its documented body", async (name, status, operation) => {
  sandbox.force(name, status);
  const { status: answered, headers, text } = await request(operation);
  expect(answered).toBe(status);
  if (status === 429) expect(headers.get("retry-after")).toBe("0");
  const schema = bodyOf(operation, status);
  if (schema) expect(schema.safeParse(JSON.parse(text))).toMatchObject({ success: true });
  else expect(text === "").toBe(schema === undefined);
});

test("forces a status for the given number of calls", async () => {
  const [operation] = operations;
  sandbox.force(operation.name, 429, { times: 2 });
  const seen = [await request(operation), await request(operation), await request(operation)];
  expect(seen.map(({ status }) => status)).toEqual([429, 429, 401]);
});

test("refuses undocumented statuses", () => {
  expect(() => sandbox.force("trades.list", 418)).toThrow("trades.list does not document status 418");
  expect(() => sandbox.force("trades.sell", 200)).toThrow("no operation trades.sell");
});
