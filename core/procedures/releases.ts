/** releases.get, releases.list and releases.cancel: state and cancellation of requests that a person must release. */
import { z } from "zod";
import { describeWhat, type ReleaseReport as Report } from "../releases/report";
import { releaseStates } from "../releases/states";
import { json } from "../spec/declare";
import { ReleaseReport } from "../releases/report";
import { id } from "../values/values";
import { procedure } from "./procedure";

const release = id("Release ID", "Such as R-7K3M9QW2X5AB.");

export const getRelease = procedure({
  name: "releases.get",
  tool: "get_release",
  section: { title: "Releases", icon: "approvals.svg", category: "fxdesk administration", order: 13 },
  title: "Get release",
  summary:
    "Returns the state of an order or call that a person must release, and once sent its outcome: trade ID, rate, amounts.",
  icon: "font-awesome/fa-info-circle",
  keywords: ["approval", "approved", "refused", "waiting", "Freigabe", "genehmigt"],
  effect: "read",
  card: "order",
  companionOf: "money",
  uses: [],
  input: { release },
  output: json(ReleaseReport, "The release and its state."),
  run: ({ client }, { release: releaseId }) => client.orders.get(releaseId),
});

export const cancelRelease = procedure({
  name: "releases.cancel",
  tool: "cancel_release",
  title: "Cancel release",
  summary: "Cancels a pending order or call before it is sent.",
  icon: "font-awesome/fa-times-circle",
  keywords: ["withdraw", "approval", "Freigabe", "zurückziehen"],
  effect: "change",
  card: "order",
  companionOf: "money",
  uses: [],
  input: { release },
  output: json(ReleaseReport, "The release and its new state."),
  run: ({ client }, { release: releaseId }) => client.orders.cancel(releaseId),
});

const listed = [
  "release",
  "state",
  "operation",
  "requested_by",
  "requested_at",
  "valid_until",
  "client",
  "environment",
  "trade_id",
  "outcome",
  "remark",
] as const satisfies readonly (keyof Report)[];

const ReleaseRow = ReleaseReport.pick(
  Object.fromEntries(listed.map((name) => [name, true])) as Record<(typeof listed)[number], true>,
)
  .extend({ what: z.string().meta({ description: "Amounts of the request, and the limit of an order." }) })
  .meta({ id: "ReleaseRow", description: "A request for release, without its terms." });

export const listReleases = procedure({
  name: "releases.list",
  tool: "list_releases",
  title: "List releases",
  summary:
    "Lists orders and calls waiting for release, newest first. For all terms of one, use releases.get.",
  icon: "font-awesome/fa-hourglass-half",
  keywords: ["approval", "pending", "waiting", "queue", "Freigaben", "offen"],
  effect: "read",
  companionOf: "money",
  resultList: "releases",
  uses: [],
  input: {
    states: z
      .array(z.enum(releaseStates))
      .min(1)
      .default(["waiting"])
      .meta({ title: "States", description: "Requests in any of these states." }),
  },
  output: json(
    z.object({
      releases: z.array(ReleaseRow).meta({ description: "Requests, newest first." }),
      complete: z.boolean().meta({ description: "False if there are more requests." }),
    }),
    "The requests.",
  ),
  async run({ client }, { states }) {
    const { releases, complete } = await client.orders.list({ states });
    const rows = releases.map((report) => {
      const facts = Object.fromEntries(
        listed.flatMap((name) => (report[name] === undefined ? [] : [[name, report[name]]])),
      ) as Pick<Report, (typeof listed)[number]>;
      return { ...facts, what: describeWhat(report) };
    });
    return { releases: rows, complete };
  },
});
