/** The bad day: bookings through random faults, with processes that are killed. */
module.exports = {
  ...require("./jest.config"),
  testMatch: ["**/*.chaos.test.ts"],
  maxWorkers: 1,
  // Node.js 20 may wait forever, as it tears itself down, for a message to a process that was killed.
  forceExit: true,
};
