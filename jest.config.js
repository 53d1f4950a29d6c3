const { availableParallelism } = require("node:os");

// What tests bring about on purpose is not worth a line: the warnings have tests of their own.
const unprinted = ["FXDESK_STORE_PLAIN", "FXDESK_JOURNAL_LATE"].map((code) => `--disable-warning=${code}`);
process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, ...unprinted].filter(Boolean).join(" ");

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/!(*.long|*.chaos).test.ts"],
  globalSetup: "<rootDir>/test/support/create-state-folder.ts",
  globalTeardown: "<rootDir>/test/support/remove-state-folder.ts",
  setupFiles: ["<rootDir>/test/support/seed.ts", "<rootDir>/test/support/separate-state-folder.ts"],
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      { jsc: { target: "es2023", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // Written as ES modules, which jest must be given as CommonJS.
  transformIgnorePatterns: ["/node_modules/(?!(light-my-request/node_modules/)?cookie/|oauth4webapi/)"],
  moduleNameMapper: {
    "^@fxdesk/toolkit$": "<rootDir>/core/index.ts",
    "^@fxdesk/toolkit/operations$": "<rootDir>/core/operations.ts",
    "^@fxdesk/toolkit/(schema|formats)$": "<rootDir>/core/$1/index.ts",
    "^@fxdesk/toolkit/openapi$": "<rootDir>/core/openapi/document.ts",
    "^@fxdesk/sandbox$": "<rootDir>/sandbox/src/index.ts",
    // What is loaded later is named as Node.js wants it, after compiling.
    "^(\\.{1,2}/.+)\\.js$": "$1",
  },
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/sandbox/dist", "<rootDir>/test/node-red-5"],
  // In the context of a test every look at a global is slow; these are handed to each module.
  sandboxInjectedGlobals: [
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "WeakMap",
  ],
  testSequencer: "<rootDir>/jest.sequencer.js",
  // Tests wait, for processes and limits: one worker more than there are cores has work meanwhile.
  maxWorkers: availableParallelism() + 1,
  testTimeout: 120_000,
};
