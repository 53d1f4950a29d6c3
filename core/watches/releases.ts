/** Watches for new release requests and for decisions on them. */
import { json } from "../spec/declare";
import { type Watch, watchFor } from "../spec/watch";
import type { ClientOrders } from "../api/client-types";
import { releaseStates } from "../releases/states";
import { ReleaseReport } from "../releases/report";

const everyMs = 1_000;

const decidedStates = releaseStates.filter((state) => state !== "waiting");

const watch = watchFor<{ readonly orders: ClientOrders }>();

const shared = {
  uses: ["trades.book"],
  input: {},
  output: json(ReleaseReport, "The release and its state."),
  everyMs,
  identify: ({ release }: ReleaseReport) => release,
  time: ({ requested_at: at }: ReleaseReport) => at,
  state: ({ state }: ReleaseReport) => ({ state }),
} as const;

export const releaseRequested: Watch = watch({
  ...shared,
  name: "releases.requested",
  tool: "release_requested",
  title: "Release requested",
  summary: "Reports orders and calls that need release by a person.",
  defaultStart: "beginning",
  async read({ client }) {
    const { releases, complete } = await client.orders.list({ states: ["waiting"] });
    const gaps = complete ? [] : [`Only the newest ${releases.length} pending requests were read.`];
    return { entries: releases, gaps };
  },
});

export const releaseDecided: Watch = watch({
  ...shared,
  name: "releases.decided",
  tool: "release_decided",
  title: "Release decided",
  summary:
    "Reports orders and calls that were released, refused, cancelled or have expired, and their later state changes.",
  defaultStart: "now",
  async read({ client }) {
    // The newest changes are enough: older releases have no change to report.
    const { releases } = await client.orders.list({ states: decidedStates, newest: "changed" });
    return { entries: releases, gaps: [] };
  },
});
