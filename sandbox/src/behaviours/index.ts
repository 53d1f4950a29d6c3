/** What the sandbox does behind the operations, by name. */
import type { AnyBehaviour } from "../behaviour";
import { openBankingBehaviours } from "../open-banking";
import { statements } from "./statements";
import { trades } from "./trades";

export const behaviours: Readonly<Record<string, AnyBehaviour>> = {
  ...statements,
  ...trades,
  ...openBankingBehaviours,
};
