/** Slow tests: random and hostile input in bulk, complete installations. */
module.exports = {
  ...require("./jest.config"),
  testMatch: ["**/*.long.test.ts"],
  // Browsers and installations already use all cores.
  maxWorkers: "100%",
};
