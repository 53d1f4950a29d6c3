/** Limits of one call: each ends the current step once, for the first reason. */
import { Deadline, type DeadlineEnded } from "../../../core/http/deadline";
import { runLater } from "../../support/resources";

const openDeadline = (queueTimeoutMs: number, signal?: AbortSignal) => {
  const deadline = new Deadline(queueTimeoutMs, signal);
  runLater(() => deadline.release());
  return deadline;
};

const never = () => new Promise<never>(() => undefined);
const endReasonOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => "no end",
    (reason: DeadlineEnded) => reason.by,
  );

describe("ends and cancels the current step", () => {
  test.each<[by: string, deadline: (signal: AbortSignal) => Deadline, end: (c: AbortController) => void]>([
    ["caller", (signal) => openDeadline(60_000, signal), (controller) => controller.abort()],
    ["queue", () => openDeadline(1), () => undefined],
    [
      "time",
      () => {
        const deadline = openDeadline(60_000);
        deadline.startTimeLimit(1);
        return deadline;
      },
      () => undefined,
    ],
  ])("%s", async (by, make, end) => {
    const controller = new AbortController();
    const deadline = make(controller.signal);
    const stopped: DeadlineEnded[] = [];
    const step = endReasonOf(deadline.waitFor(() => (reason) => void stopped.push(reason)));
    end(controller);
    expect(await step).toBe(by);
    expect(stopped.map((reason) => reason.by)).toEqual([by]);
    expect(await endReasonOf(deadline.race(never()))).toBe(by);
    expect(await endReasonOf(deadline.wait(60_000))).toBe(by);
    expect(() => deadline.assertOpen()).toThrow(stopped[0]);
  });
});

test("ignores the caller's signal until it is enabled again", async () => {
  const controller = new AbortController();
  const deadline = openDeadline(60_000, controller.signal);
  deadline.setAbortable(false);
  controller.abort();
  await deadline.wait(1);
  deadline.setAbortable(true);
  expect(deadline.ended?.by).toBe("caller");
});

test("has no effect, listener or timer after its release", async () => {
  const controller = new AbortController();
  const added = jest.spyOn(controller.signal, "addEventListener");
  const removed = jest.spyOn(controller.signal, "removeEventListener");
  const timers = jest.spyOn(globalThis, "setTimeout");
  const deadline = openDeadline(60_000, controller.signal);
  await deadline.race(Promise.resolve());
  deadline.startTimeLimit(60_000);
  await deadline.race(Promise.resolve());
  deadline.release();
  controller.abort();
  deadline.startTimeLimit(60_000);
  expect(deadline.ended).toBeUndefined();
  expect([added.mock.calls.length, removed.mock.calls.length >= 1]).toEqual([1, true]);
  expect(timers).toHaveBeenCalledTimes(2);
  for (const { value } of timers.mock.results)
    expect((value as { _destroyed: boolean })._destroyed).toBe(true);
  timers.mockRestore();
});

test("passes the reason to the cancel function of a file", async () => {
  const deadline = openDeadline(60_000);
  const cancelled = new Promise<DeadlineEnded>((resolve) => deadline.setCancel(resolve));
  deadline.startTimeLimit(1);
  expect((await cancelled).by).toBe("time");
});
