/** The bad day: bookings through random faults, with processes that are killed. */
module.exports = { ...require("./jest.config"), testMatch: ["**/*.chaos.test.ts"], maxWorkers: 1 };
