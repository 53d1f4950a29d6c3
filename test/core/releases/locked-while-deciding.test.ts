/** A person who is locked, or a policy that is replaced, between the check of the secret and the record of the decision. */
import { lockPerson } from "../../../core/people/administration";
import { listAttempts, localOrigin } from "../../../core/people/attempts";
import { PeopleRefusal } from "../../../core/people/authenticate";
import { ReleaseRefusal } from "../../../core/releases/release";
import { withStore } from "../../../core/store/open";
import { eventually } from "../../support/eventually";
import { sampleInput } from "../../support/samples";
import {
  administrator,
  createReleaseFixture,
  defaultPolicy,
  type ReleaseFixture,
  secretOf,
} from "./release-fixture";

const changes: readonly [
  string,
  new (...args: never[]) => Error,
  (place: ReleaseFixture) => Promise<unknown>,
][] = [
  ["the person is locked", PeopleRefusal, ({ peoplePath }) => lockPerson(peoplePath, "bert", administrator)],
  [
    "the policy no longer permits the person to release",
    ReleaseRefusal,
    ({ setPolicy }) => setPolicy({ ...defaultPolicy, rules: [{ effects: ["money"], from: ["anna"] }] }),
  ],
];

test.each(changes)("no decision is recorded if in the middle of it %s", async (_, refusal, change) => {
  const place = await createReleaseFixture();
  const client = place.client();
  const payment = await sampleInput("payments.initiate", client);
  const { release: id } = (await client.payments
    .initiate(payment as never)
    .catch((error: unknown) => error)) as { release: string };
  const { hash: seal } = (await place.service.get(id)).release;
  const input = { person: "bert", secret: secretOf("bert"), decision: "release", seal } as const;

  let deciding: Promise<unknown>;
  await withStore(place.store, ({ database }) =>
    database.transaction(async (run) => {
      // Holds the write lock of the store, so that the decision waits after the secret was accepted.
      await run("UPDATE fxdesk_releases SET next_at = next_at WHERE id = $1", [id]);
      deciding = place.service
        .decide(id, place.files, input, localOrigin("cli"))
        .catch((error: Error) => error);
      await eventually(
        async () => (await listAttempts(place.peoplePath)).some(({ result }) => result === "accepted"),
        {
          withinMs: 8_000,
          what: "the secret was accepted",
        },
      );
      await change(place);
    }),
  );
  expect(await deciding!).toBeInstanceOf(refusal);
  const { release, decisions } = await place.service.get(id);
  expect([release.state, decisions]).toEqual(["waiting", []]);
});
