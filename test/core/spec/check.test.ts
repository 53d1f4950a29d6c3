/** Messages for invalid values. */
import { z } from "zod";
import { checkInput, empty, operation } from "../../../core/operations";

const messageOf = (schema: z.ZodType, value: unknown) =>
  checkInput(
    operation({
      name: "test.check",
      tool: "check_test",
      title: "Check",
      summary: "Takes one value.",
      effect: "change",
      method: "POST",
      path: "/test",
      server: "service",
      credentials: [],
      body: z.object({ value: schema }),
      responses: { 204: empty("Taken.") },
      errors: {},
      contract: "1",
    }),
    value === undefined ? {} : { value },
    new Date("2026-01-31T12:00:00Z"),
  );

const numberOrText = z.union([z.number().positive(), z.string().regex(/^\d+$/, "must be digits")]);

test.each<[schema: z.ZodType, value: unknown, message: string]>([
  [z.number().positive(), 0, "must be more than 0, not 0"],
  [z.number().nonnegative(), -1, "must be at least 0, not -1"],
  [z.number().lt(5), 5, "must be less than 5, not 5"],
  [z.number().max(5), 6, "must be at most 5, not 6"],
  [z.string().min(2), "a", 'must have at least 2 characters, not "a"'],
  [z.string().length(3), "a", 'must have exactly 3 characters, not "a"'],
  [z.array(z.int()).max(1), [1, 2], "must have at most 1 entries, not [1,2]"],
  [numberOrText, undefined, "is required"],
  [numberOrText, 0, "must be more than 0, not 0"],
  [numberOrText, "x", 'must be digits, not "x"'],
  [numberOrText, true, "must be a number or must be a string, not true"],
  [z.enum(["a", "b"]), undefined, "is required: one of a, b"],
])("case %#", (schema, value, message) => {
  expect(messageOf(schema, value)).toEqual([{ field: "value", message }]);
});
