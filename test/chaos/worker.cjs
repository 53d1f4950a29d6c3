/** Makes the bookings that its parent requests, with the built client, until it is killed. */
const {
  createClient,
  FxdeskError,
  optionsFromSettings,
  settingsFromEnvironment,
} = require("../../dist/core/index.js");

const client = createClient({
  ...optionsFromSettings(settingsFromEnvironment(process.env)),
  connections: 50,
  onRecovered: (line) => process.send({ line }),
});

const describeFailure = (error) =>
  error instanceof FxdeskError
    ? { outcome: error.outcome, status: error.status, code: error.code, message: error.message }
    : { outcome: "broken", message: String(error?.stack ?? error) };

const book = ({ input, key }) =>
  client.trades.book
    .response(input, { ...(key && { key }) })
    .then(({ body }) => ({ outcome: "done", identity: body.trade_id }), describeFailure);

process.on("message", (request) => {
  void book(request).then((answer) => process.send({ id: request.id, ...answer }));
});
process.on("disconnect", () => process.exit());
process.send({ ready: true });
