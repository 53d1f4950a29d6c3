/** Lists of releases: filters by state and environment, order and completeness. */
import { StoreSession } from "../../../core/store/session";
import { ReleaseService } from "../../../core/releases/release-service";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { engines } from "../store/engines";
import { sampleRequest } from "./sample-requests";

/** Rows written in the same millisecond have no order. */
async function waitForClockTick(): Promise<void> {
  const now = Date.now();
  await eventually(() => Date.now() > now + 1, { withinMs: 10_000, what: "the clock moved" });
}

describe.each(engines())("$name", ({ create }) => {
  let desk: ReleaseService;
  beforeAll(async () => {
    desk = closeLater(new ReleaseService(new StoreSession(await create())));
    const ids: string[] = [];
    for (const name of ["1", "2", "3", "4"]) {
      ids.push((await desk.request(sampleRequest(name))).id);
      await waitForClockTick();
    }
    await desk.request(sampleRequest("elsewhere", { environment: "api" }));
    await desk.request(sampleRequest("late", { validUntil: Date.now() - 1 }));
    await waitForClockTick();
    await desk.cancel(ids[0]!, "anna");
  });

  const listed = async (looking: Partial<Parameters<ReleaseService["list"]>[0]>) => {
    const { releases, isComplete } = await desk.list({ limit: 100, ...looking });
    return { names: releases.map(({ key }) => key).toSorted(), isComplete };
  };

  test.each([
    [{}, ["1", "2", "3", "4", "elsewhere", "late"]],
    [{ states: ["waiting"] }, ["2", "3", "4", "elsewhere"]],
    [{ states: ["expired"] }, ["late"]],
    [{ states: ["cancelled", "expired"] }, ["1", "late"]],
    [{ states: ["booked"] }, []],
    [{ environments: ["api"] }, ["elsewhere"]],
    [{ states: ["waiting"], environments: ["sandbox"] }, ["2", "3", "4"]],
  ] as const)("%j", async (looking, names) => {
    expect(await listed(looking)).toEqual({ names, isComplete: true });
  });

  test("reports incomplete lists only", async () => {
    expect(await listed({ states: ["waiting"], limit: 4 })).toMatchObject({ isComplete: true });
    const { names, isComplete } = await listed({ states: ["waiting"], limit: 3 });
    expect([names.length, isComplete]).toEqual([3, false]);
  });

  test("sorts by latest change on request", async () => {
    expect(await listed({ newest: "changed", limit: 1 })).toEqual({ names: ["1"], isComplete: false });
    expect((await listed({ limit: 1 })).names).not.toEqual(["1"]);
  });
});
