/** A runtime that puts something else in the place of undici: nobody could tell what left. */
import { createClient } from "../../../core";

test("this runtime has undici", () => {
  expect(() => createClient({ baseUrl: "https://example.com" })).not.toThrow();
});

test("where undici is a stub, no client is made, and a sentence says why", () => {
  jest.isolateModules(() => {
    jest.doMock("undici", () => ({ Client: function Client() {} }));
    const core = require("../../../core") as { createClient: typeof createClient };
    expect(() => core.createClient({ baseUrl: "https://example.com" })).toThrow(
      "fxdesk requires Node.js: this runtime replaces undici, so it is impossible to detect which requests were sent.",
    );
  });
  jest.dontMock("undici");
});
