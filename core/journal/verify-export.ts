/** Verifies an export of the journal: its lines, the hash chains, the details and the states of the entries. */
import { canonicalJson } from "../values/json";
import type { EntryKey, EntryState } from "./entry";
import { entryIdOf } from "./entry-rows";
import { parseLine, readLines, type RecordedEvent } from "./events";
import { type ChainHead, emptyHead, storeEvents } from "./hash-chain";
import { missingDetailsMessage, Verification, type VerificationResult, type Where } from "./verify";

/** The chain of one environment. */
class ExportedChain {
  readonly #states = new Map<string, EntryState | undefined>();
  /** Events without their details, by entry. */
  readonly #missingDetails = new Map<string, string[]>();

  constructor(
    readonly environment: string,
    private readonly verification: Verification,
  ) {
    verification.startChain(emptyHead);
  }

  check(where: Where, event: RecordedEvent): void {
    const { entry, kind, content, hash, details } = event;
    const { verification } = this;
    verification.checkLink(where, { ...event, content: canonicalJson(content) }, hash);
    if (!this.#states.has(entry) && entry !== storeEvents) verification.entries += 1;
    const next = verification.checkTransition(where, this.#states.get(entry), event, content);
    this.#states.set(entry, next);
    if (kind === "intent" && entry !== entryIdOf(content as unknown as EntryKey))
      verification.addFault(where(), `entry ${entry} has the key of another entry`);
    if (kind === "erased") this.#missingDetails.delete(entry);
    if (details) verification.checkDetails(where, details, content);
    else if (content.details !== undefined)
      this.#missingDetails.set(entry, [...(this.#missingDetails.get(entry) ?? []), where()]);
  }

  end(stated?: { readonly where: string; readonly head: ChainHead }): void {
    for (const where of [...this.#missingDetails.values()].flat())
      this.verification.addFault(where, missingDetailsMessage);
    this.verification.endChain(this.environment, stated);
  }
}

/** Verifies an export. `heads` were stored elsewhere. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  heads: readonly ChainHead[] = [],
): Promise<VerificationResult> {
  const verification = new Verification(heads);
  const environments = new Set<string>();
  let chain: ExportedChain | undefined;
  let number = 0;
  let isLastLineRead = false;
  const endChain = (where: string) => {
    if (!chain) return;
    verification.addFault(where, `the line with the number of events of ${chain.environment} is missing`);
    chain.end();
    chain = undefined;
  };
  for await (const { text, isComplete } of readLines(chunks)) {
    number += 1;
    const where = `line ${number}`;
    const parsed = isComplete ? parseLine(text) : undefined;
    if (!parsed) verification.addUnreadable(where, isComplete ? "is malformed" : "is cut off");
    else if (isLastLineRead) verification.addUnreadable(where, "follows the last line");
    else if ("event" in parsed) {
      const { environment } = parsed.event;
      if (chain && chain.environment !== environment) endChain(where);
      if (!chain && environments.has(environment))
        verification.addFault(where, `the events of ${environment} were already listed`);
      environments.add(environment);
      chain ??= new ExportedChain(environment, verification);
      chain.check(() => where, parsed.event);
    } else if ("head" in parsed) {
      if (chain?.environment !== parsed.head.environment)
        verification.addFault(where, `there are no events of ${parsed.head.environment} before it`);
      else chain.end({ where, head: parsed.head });
      chain = undefined;
    } else {
      isLastLineRead = true;
      endChain(where);
      if (parsed.environments !== environments.size)
        verification.addFault(
          where,
          `it states ${parsed.environments} environments, but ${environments.size} are listed`,
        );
    }
  }
  endChain("end");
  if (!isLastLineRead)
    verification.addFault("end", "the last line, with the number of environments, is missing");
  return verification.finish();
}
