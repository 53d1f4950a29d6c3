import * as fc from "fast-check";

/** Text with characters that are special in any format. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "..",
    "../..",
    "null",
    "undefined",
    "NaN",
    "-1",
    "1e99",
    "0x10",
    "__proto__",
    "constructor",
    "toString",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "{{7*7}}",
    "\0",
    "\r\nX-Odd: 1",
    "2026-02-30",
    "9999-99-99",
    "9999-12-31",
    "+275760-09-13",
    "x".repeat(5_000),
  ),
);
