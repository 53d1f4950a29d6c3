/** What is under way: one line that is written again in its place, on a terminal only. */
import type { Progress } from "../../core/declaration/procedure";
import { printable, type Terminal } from "../terminal";

const eraseLine = "\r\u001b[2K";

/** Words wider than this would begin a line of their own, which is not erased. */
const defaultWidth = 80;

const progressText = ({ done, total, message }: Progress): string =>
  `${printable(message)} (${total === undefined ? done : `${done}/${total}`})`;

export interface StatusLine {
  /** Undefined where nobody watches: in pipes, files and CI. */
  readonly show?: (text: string) => void;
  /** Leaves the line as it was before. */
  readonly erase: () => void;
}

export function createStatusLine({ stderr, environment }: Terminal): StatusLine {
  if (!stderr.isTTY || environment.CI) return { erase: () => undefined };
  const width = (stderr.columns ?? defaultWidth) - 1;
  let isShown = false;
  return {
    show(text) {
      isShown = true;
      stderr.write(eraseLine + text.slice(0, width));
    },
    erase() {
      if (isShown) stderr.write(eraseLine);
      isShown = false;
    },
  };
}

export interface ProgressLine {
  /** Undefined where nobody watches. */
  readonly onProgress?: (step: Progress) => void;
  readonly erase: () => void;
}

/** How far a call has come. */
export function createProgressLine(terminal: Terminal): ProgressLine {
  const { show, erase } = createStatusLine(terminal);
  return { ...(show && { onProgress: (step: Progress) => show(progressText(step)) }), erase };
}
