const Sequencer = require("@jest/test-sequencer").default;

/** Tests that mostly wait: last, they would be waited for alone. */
const patient = /[\\/](chaos|reliability|journal|watches|cli)[\\/]/;

/** The order of jest, which knows nothing of the times in a fresh clone, but those that take long begin. */
module.exports = class extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is that of the sequencer
    const sorted = super.sort(tests);
    return [true, false].flatMap((isFirst) => sorted.filter(({ path }) => patient.test(path) === isFirst));
  }
};
