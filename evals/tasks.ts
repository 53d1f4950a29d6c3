/** All tasks. */
import type { Task } from "./task";
import { orderTasks } from "./order-tasks";
import { payTasks } from "./pay-tasks";
import { readTasks } from "./read-tasks";
import { reconcileTasks } from "./reconcile-tasks";
import { recoverTasks } from "./recover-tasks";
import { refuseTasks } from "./refuse-tasks";

export const tasks: readonly Task[] = [
  readTasks,
  orderTasks,
  payTasks,
  reconcileTasks,
  recoverTasks,
  refuseTasks,
].flat();
