/** Sealed texts and hashes belong to one table, column and row. */
import * as fc from "fast-check";
import { createSealer, sealLocation } from "../../../core/store/sealer";
import { key } from "./engines";

const location = fc.tuple(
  fc.constantFrom("fxdesk_releases", "fxdesk_tokens"),
  fc.constantFrom("content", "progress"),
  fc.array(fc.string({ unit: fc.constantFrom("a", " ", '"', ",", "1"), maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
);

test("a sealed text or hash is not valid for another table, column or row, or with another key", () => {
  const [sealer, other] = [createSealer(key), createSealer(Buffer.alloc(32))];
  fc.assert(
    fc.property(location, location, fc.string(), ([table, column, row], [table2, column2, row2], text) => {
      const [here, there] = [sealLocation(table, column, ...row), sealLocation(table2, column2, ...row2)];
      fc.pre(JSON.stringify([table, column, row]) !== JSON.stringify([table2, column2, row2]));
      const sealed = sealer.seal(text, here);
      expect(sealer.unseal(sealed, here)).toBe(text);
      expect(() => sealer.unseal(sealed, there)).toThrow("was changed or is incomplete");
      expect(() => other.unseal(sealed, here)).toThrow("another FXDESK_STORE_KEY");
      expect(() => sealer.unseal(text, here)).toThrow("is not encrypted");
      const macs = [sealer.mac(text, here), sealer.mac(text, there), other.mac(text, here)];
      expect(new Set([...macs, createSealer(undefined).mac(text, here)]).size).toBe(4);
    }),
  );
});
