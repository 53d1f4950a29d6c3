/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/!(*.long).test.ts"],
  globalSetup: "<rootDir>/test/support/state-folder.ts",
  globalTeardown: "<rootDir>/test/support/state-folder-removed.ts",
  setupFiles: ["<rootDir>/test/support/seed.ts"],
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      { jsc: { target: "es2023", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // Written as ES modules, which jest must be given as CommonJS.
  transformIgnorePatterns: ["/node_modules/(?!(light-my-request/node_modules/)?cookie/)"],
  moduleNameMapper: {
    "^@fxdesk/toolkit$": "<rootDir>/core/index.ts",
    "^@fxdesk/toolkit/operations$": "<rootDir>/core/operations.ts",
    "^@fxdesk/toolkit/(schema|formats)$": "<rootDir>/core/$1/index.ts",
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
  maxWorkers: "100%",
  testTimeout: 60_000,
};
