/** Runtimes that replace undici are refused. */
import { createClient } from "../../../core";

test("accepts a runtime with undici", () => {
  expect(() => createClient({ baseUrl: "https://example.com" })).not.toThrow();
});

test("refuses to create a client if undici is a stub", () => {
  jest.isolateModules(() => {
    jest.doMock("undici", () => ({ Client: function Client() {} }));
    const core = require("../../../core") as { createClient: typeof createClient };
    expect(() => core.createClient({ baseUrl: "https://example.com" })).toThrow(
      "fxdesk requires Node.js: this runtime replaces undici, so it is impossible to detect which requests were sent.",
    );
  });
  jest.dontMock("undici");
});
