/** Takes the next step of an order whose lease this process holds. */
import type { Order } from "../releases/release";
import { listDecisions, readReleases } from "../releases/repository";
import { quoteAndBook } from "./book";
import { never, type OrderDependencies, transition } from "./leased-order";
import { nextStep, type Review } from "./next-step";
import { settle } from "./settle";
import { verify } from "./verify";

/** Advances an order as far as currently possible. */
export async function processOrder(dependencies: OrderDependencies, order: Order): Promise<void> {
  const { store } = dependencies;
  let step = nextStep(order);
  if (step.kind === "review") step = nextStep(order, await review(dependencies, order));
  switch (step.kind) {
    case "expire":
      await transition(store, order, { to: "expired", remark: step.remark, dueInMs: never });
      return;
    case "waitForApproval":
      await transition(store, order, {
        to: "waiting",
        remark: "The release has expired; the order needs a new one.",
        dueInMs: never,
      });
      return;
    case "hold":
      await transition(store, order, { remark: step.reason, dueInMs: step.retryInMs });
      return;
    case "quote":
      return quoteAndBook(dependencies, order, step);
    case "settle":
      return settle(dependencies, order, step.entry);
    case "verify":
      return verify(dependencies, order);
    case "done":
      await transition(store, order, { dueInMs: never });
      return;
    case "review":
    case "idle":
  }
}

async function review({ authority, store }: OrderDependencies, { id, sealed }: Order): Promise<Review> {
  const current = await authority(sealed);
  return readReleases(store, async (access) => ({
    moment: access.moment,
    decisions: await listDecisions(access, id),
    authority: current,
  }));
}
