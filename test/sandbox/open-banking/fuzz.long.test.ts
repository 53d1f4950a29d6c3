/** Tests that every valid request gets a documented response. */
import * as fc from "fast-check";
import { encodeRequest, operations } from "@fxdesk/toolkit/operations";
import { requestValues } from "../../support/arbitrary";
import { type Bank, openBank, today } from "./bank";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank.close());

const declared = operations.filter(({ server }) => server === "xs2a");

test.each(declared.map((operation) => [operation.name, operation] as const))(
  "%s",
  async (_name, operation) => {
    const documented = Object.keys({ ...operation.responses, ...operation.errors }).map(Number);
    const property = fc.asyncProperty(requestValues(operation, new Date(today)), async (values) => {
      const { target, headers, body } = encodeRequest(operation, values);
      const { status } = await fetch(bank.sandbox.xs2aUrl + target, {
        method: operation.method,
        headers,
        ...(body !== undefined && { body }),
      });
      expect(documented.filter((each) => each < 500)).toContain(status);
    });
    await fc.assert(property, { numRuns: 50 });
  },
);
