/** What takes longer than a person waits for: random and hostile input in bulk, whole installations. */
module.exports = {
  ...require("./jest.config"),
  testMatch: ["**/*.long.test.ts"],
  // Browsers and installations keep the cores busy themselves.
  maxWorkers: "100%",
};
