/** releases.get and releases.cancel: state and cancellation of pending releases. */
import { json } from "../spec/declare";
import { ReleaseReport } from "../releases/report";
import { id } from "../values/values";
import { procedure } from "./procedure";

const release = id("Release ID", "Release ID, such as R-7K3M9QW2X5AB.");

export const getRelease = procedure({
  name: "releases.get",
  tool: "get_release",
  section: { title: "Releases", icon: "approvals.svg", category: "fxdesk administration", order: 13 },
  title: "Get release",
  summary: "Returns the state of an order or call that a person must release.",
  icon: "font-awesome/fa-info-circle",
  keywords: ["approval", "approved", "refused", "waiting", "Freigabe", "genehmigt"],
  effect: "read",
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
  companionOf: "money",
  uses: [],
  input: { release },
  output: json(ReleaseReport, "The release and its new state."),
  run: ({ client }, { release: releaseId }) => client.orders.cancel(releaseId),
});
