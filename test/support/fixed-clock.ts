/** Stops the clock. Imported before everything else, because modules keep the clock that they are loaded with. */
export const now = new Date("2026-03-16T09:00:00Z");

jest.useFakeTimers({
  now,
  doNotFake: [
    "hrtime",
    "nextTick",
    "performance",
    "queueMicrotask",
    "setImmediate",
    "clearImmediate",
    "setInterval",
    "clearInterval",
    "setTimeout",
    "clearTimeout",
  ],
});
