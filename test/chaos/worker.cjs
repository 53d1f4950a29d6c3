/** Books what its parent asks for, through the built client, until it is killed. */
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

const told = (error) =>
  error instanceof FxdeskError
    ? { outcome: error.outcome, status: error.status, code: error.code, message: error.message }
    : { outcome: "broken", message: String(error?.stack ?? error) };

const book = ({ input, key }) =>
  client.trades.book
    .response(input, { ...(key && { key }) })
    .then(({ body }) => ({ outcome: "done", identity: body.trade_id }), told);

process.on("message", (wish) => {
  void book(wish).then((answer) => process.send({ id: wish.id, ...answer }));
});
process.on("disconnect", () => process.exit());
process.send({ ready: true });
