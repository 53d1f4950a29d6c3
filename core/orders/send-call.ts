/** Sends a released call once, and records its outcome. */
import type { Call } from "../releases/release";
import { changeReleases, getRelease } from "../releases/repository";
import { type ExecutorDependencies, messageOf, transition } from "./leased-release";
import { settle } from "./settle";

/** Sends a released call under its journal key, or records why it was not sent and tries again later. */
export async function sendCall(
  dependencies: ExecutorDependencies,
  release: Call,
  { retryInMs }: { readonly retryInMs: number },
): Promise<void> {
  const { sendReleased, store } = dependencies;
  const failure = await sendReleased(release).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  // The release has an entry if and only if the call was sent, by this process or by its requester.
  const current = (await changeReleases(store, (access) => getRelease(access, release.id))) as Call;
  if (current.entry !== undefined) return settle(dependencies, current, current.entry);
  const remark = failure ?? "Its key belongs to an earlier call, whose outcome stands. Nothing was sent.";
  await transition(store, release, { remark, dueInMs: retryInMs });
}
