/** A progress line that is redrawn in place; shown on terminals only. */
import type { Progress } from "../../core/spec/procedure";
import { printable, type Terminal } from "./terminal";

const eraseLine = "\r\u001b[2K";

/** Text wider than the terminal would wrap, and the second line would not be erased. */
const defaultWidth = 80;

const progressText = ({ done, total, message }: Progress): string =>
  `${printable(message)} (${total === undefined ? done : `${done}/${total}`})`;

export interface StatusLine {
  /** Undefined if stderr is not a terminal, and in CI. */
  readonly show?: (text: string) => void;
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
  /** Undefined if stderr is not a terminal, and in CI. */
  readonly onProgress?: (step: Progress) => void;
  readonly erase: () => void;
}

/** Returns a progress line for the steps of a procedure. */
export function createProgressLine(terminal: Terminal): ProgressLine {
  const { show, erase } = createStatusLine(terminal);
  return { ...(show && { onProgress: (step: Progress) => show(progressText(step)) }), erase };
}
