/** Who must act, and what became of it: told once each, over restarts and processes. */
import { json } from "../declaration/declare";
import type { Watch } from "../declaration/watch";
import type { OrdersOfClient } from "../client/methods";
import { watchOver } from "../declaration/watch";
import { releaseStates } from "./release";
import { ReleaseReport } from "./report";

const everyMs = 1_000;

const decidedStates = releaseStates.filter((state) => state !== "waiting");

const watch = watchOver<{ readonly orders: OrdersOfClient }>();

const shared = {
  uses: ["trades.book"],
  input: {},
  output: json(ReleaseReport, "What waits for a yes, or did."),
  everyMs,
  identify: ({ release }: ReleaseReport) => release,
  state: ({ state }: ReleaseReport) => ({ state }),
} as const;

export const releaseAsked: Watch = watch({
  ...shared,
  name: "releases.asked",
  tool: "release_asked",
  title: "Release asked",
  summary: "Tells what begins to wait for a person's yes.",
  begins: "beginning",
  async read({ client }) {
    const { releases, complete } = await client.orders.list({ states: ["waiting"] });
    const gaps = complete
      ? []
      : [`Of what waits for a yes only the newest ${releases.length} were looked at.`];
    return { entries: releases, gaps };
  },
});

export const releaseDecided: Watch = watch({
  ...shared,
  name: "releases.decided",
  tool: "release_decided",
  title: "Release decided",
  summary: "Tells that something waits no longer, and each change of how it stands from then on.",
  begins: "now",
  async read({ client }) {
    // Those of which nothing was said for longer stand as they stood.
    const { releases } = await client.orders.list({ states: decidedStates, newest: "changed" });
    return { entries: releases, gaps: [] };
  },
});
