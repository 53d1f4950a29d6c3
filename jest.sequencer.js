const Sequencer = require("@jest/test-sequencer").default;

/** Tests that mostly wait. They start first, so that other tests run meanwhile. */
const patient = /[\\/](chaos|reliability|journal|watches|cli)[\\/]/;

/** Uses jest's order, but starts slow tests first; a fresh clone has no recorded durations. */
module.exports = class extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array
    const sorted = super.sort(tests);
    return [true, false].flatMap((isFirst) => sorted.filter(({ path }) => patient.test(path) === isFirst));
  }
};
