/** What is under way: one line that is written again in its place, on a terminal only. */
import type { Progress } from "../../core/declaration/procedure";
import { printable, type Terminal } from "../terminal";

const eraseLine = "\r\u001b[2K";

/** Words wider than this would begin a line of their own, which is not erased. */
const usualWidth = 80;

const words = ({ done, total, message }: Progress): string =>
  `${printable(message)} (${total === undefined ? done : `${done}/${total}`})`;

export interface LineInPlace {
  /** Undefined where nobody watches: in pipes, files and CI. */
  readonly show?: (text: string) => void;
  /** Leaves the line as it was before. */
  readonly erase: () => void;
}

export function lineInPlace({ stderr, environment }: Terminal): LineInPlace {
  if (!stderr.isTTY || environment.CI) return { erase: () => undefined };
  const width = (stderr.columns ?? usualWidth) - 1;
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
export function progressLine(terminal: Terminal): ProgressLine {
  const { show, erase } = lineInPlace(terminal);
  return { ...(show && { onProgress: (step: Progress) => show(words(step)) }), erase };
}
