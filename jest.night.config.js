/** Bulk tests: bookings and orders under random faults, with killed processes. */
module.exports = {
  ...require("./jest.config"),
  testMatch: ["**/*.night.test.ts"],
  maxWorkers: 1,
  // Node.js 20 may hang at exit on a message to a killed process.
  forceExit: true,
};
