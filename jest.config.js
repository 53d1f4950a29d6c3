const { availableParallelism } = require("node:os");

// Tests cause these warnings on purpose; separate tests assert them.
const unprinted = ["FXDESK_STORE_PLAIN", "FXDESK_JOURNAL_LATE"].map((code) => `--disable-warning=${code}`);
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, ...unprinted].filter(Boolean).join(" ");

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/!(*.long|*.night).test.ts"],
  globalSetup: "<rootDir>/test/support/create-state-folder.ts",
  globalTeardown: "<rootDir>/test/support/remove-state-folder.ts",
  setupFiles: ["<rootDir>/test/support/seed.ts", "<rootDir>/test/support/separate-state-folder.ts"],
  setupFilesAfterEnv: ["<rootDir>/test/support/resources.ts"],
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      { jsc: { target: "es2023", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // Published as ES modules only, which jest cannot load untransformed.
  transformIgnorePatterns: ["/node_modules/(?!(light-my-request/node_modules/)?(cookie|jose)/)"],
  moduleNameMapper: {
    "^@fxdesk/toolkit$": "<rootDir>/core/index.ts",
    "^@fxdesk/toolkit/operations$": "<rootDir>/core/operations.ts",
    "^@fxdesk/toolkit/schema$": "<rootDir>/core/values/index.ts",
    "^@fxdesk/toolkit/formats$": "<rootDir>/core/files.ts",
    "^@fxdesk/toolkit/calendars$": "<rootDir>/core/calendars/index.ts",
    "^@fxdesk/toolkit/openapi$": "<rootDir>/core/openapi/document.ts",
    "^@fxdesk/sandbox$": "<rootDir>/sandbox/src/index.ts",
    // Dynamic imports name the compiled file, as Node.js requires.
    "^(\\.{1,2}/.+)\\.js$": "$1",
  },
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/sandbox/dist", "<rootDir>/test/newest"],
  // Global lookups are slow in a test context; these are passed to each module. Boolean and Set are names of classes in asn1js.
  sandboxInjectedGlobals: [
    "Array",
    "BigInt",
    "Date",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "RegExp",
    "String",
    "Symbol",
    "WeakMap",
  ],
  testSequencer: "<rootDir>/jest.sequencer.js",
  // Tests often wait for processes and time limits, so one extra worker keeps the cores busy.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 120_000,
  // A larger worker takes longer to exit than jest waits, and is killed.
  workerIdleMemoryLimit: "1GB",
};
