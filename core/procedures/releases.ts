/** releases.get and releases.cancel: how something stands that waits for a person's yes, and taking it back. */
import { json } from "../declaration/declare";
import { ReleaseReport } from "../releases/report";
import { id } from "../schema/values";
import { procedure } from "./procedure";

const release = id("Release ID", "Such as R-7K3M9QW2X5AB.");

export const getRelease = procedure({
  name: "releases.get",
  tool: "get_release",
  title: "Get release",
  summary:
    "Tells the status of an order (deal) or request held for the release (approval) of a manager: what happened to it (released, refused), or whether it still waits.",
  effect: "read",
  beside: "money",
  uses: [],
  input: { release },
  output: json(ReleaseReport, "How it stands."),
  run: ({ client }, { release: asked }) => client.orders.get(asked),
});

export const cancelRelease = procedure({
  name: "releases.cancel",
  tool: "cancel_release",
  title: "Cancel release",
  summary:
    "Withdraws (retracts, scraps, takes back) an order (deal) or another call held for release, while it waits for the approval (sign-off) of a manager.",
  effect: "change",
  beside: "money",
  uses: [],
  input: { release },
  output: json(ReleaseReport, "How it stands now."),
  run: ({ client }, { release: asked }) => client.orders.cancel(asked),
});
