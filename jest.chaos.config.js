/** Chaos tests: bookings under random faults, with killed processes. */
module.exports = {
  ...require("./jest.config"),
  testMatch: ["**/*.chaos.test.ts"],
  maxWorkers: 1,
  // Node.js 20 may hang at exit on a message to a killed process.
  forceExit: true,
};
