/** What the sandbox does behind the open-banking interfaces. */
import type { AnyBehaviour } from "../behaviour";
import type { Extension } from "../server";

export const openBankingBehaviours: Readonly<Record<string, AnyBehaviour>> = {};

/** The pages on which a person approves or refuses. */
export const openBankingPages: readonly Extension[] = [];
