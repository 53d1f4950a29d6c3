/** Slow tests: random and hostile input in bulk, complete installations. */
const { workerIdleMemoryLimit: _, ...shared } = require("./jest.config");

module.exports = {
  ...shared,
  testMatch: ["**/*.long.test.ts"],
  // Browsers and installations already use all cores.
  maxWorkers: "100%",
};
