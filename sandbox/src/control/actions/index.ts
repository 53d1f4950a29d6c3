/** What stands behind the controls. */
import { accountsActions } from "./accounts";
import { callsActions } from "./calls";
import { clockActions } from "./clock";
import { incomingActions } from "./incoming";
import { marketActions } from "./market";
import { outboxActions } from "./outbox";
import { paymentsActions } from "./payments";
import { peopleActions } from "./people";

export const actions = {
  ...clockActions,
  ...marketActions,
  ...incomingActions,
  ...paymentsActions,
  ...accountsActions,
  ...peopleActions,
  ...outboxActions,
  ...callsActions,
};
