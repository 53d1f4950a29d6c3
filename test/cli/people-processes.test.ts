/** Two administrators who change one people file at the same moment, each with processes of their own. */
import { join } from "node:path";
import { setAdministrator } from "../../core/people/administration";
import { loadPeople } from "../../core/people/people-file";
import { secretOf, writePeople } from "../support/people-file";
import { tempFolder } from "../support/resources";
import { spawnFxdesk } from "./run-command";

test("every change of two administrators at once is made and logged, once", async () => {
  const path = join(await tempFolder(), "people.json");
  const locked = ["carl", "dora"];
  await writePeople(path, ["anna", "bert", ...locked]);
  await setAdministrator(path, "bert", true, { person: "anna", secret: secretOf("anna") });
  const added = ["p1", "p2", "p3", "p4"];
  const administrators = ["anna", "bert"];
  const changes = [
    ...added.map((name, index) => ["add", name, "--requester", "--by", administrators[index % 2]!]),
    ...locked.map((name, index) => ["lock", name, "--by", administrators[index]!]),
    ...administrators.map((name) => ["address", name, "--mail", `${name}@example.com`, "--by", name]),
  ];
  const results = await Promise.all(
    changes.map((args) =>
      spawnFxdesk(["people", ...args], {
        variables: { FXDESK_PEOPLE: path },
        input: `${secretOf(args.at(-1)!)}\n`,
      }),
    ),
  );
  expect(results.filter(({ code }) => code !== 0)).toEqual([]);

  const { people, log } = await loadPeople(path);
  expect(Object.keys(people).toSorted()).toEqual([...administrators, ...locked, ...added].toSorted());
  for (const name of locked) expect(people[name]).toHaveProperty("lockedSince");
  for (const name of administrators) expect(people[name]!.address).toBe(`${name}@example.com`);
  const logged = log.slice(1).map(({ change, person, by }) => `${change} ${person} by ${by}`);
  expect(logged.toSorted()).toEqual(
    changes
      .map(([word, person, ...flags]) => {
        const change = { add: "added", lock: "locked", address: "mail address changed" }[word!];
        return `${change} ${person} by ${flags.at(-1)}`;
      })
      .toSorted(),
  );
});
