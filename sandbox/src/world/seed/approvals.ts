/** Seeds the approval workflow of the demo company: one signature for small payments, two for large ones. */
import { demo } from "../parties/parties";
import type { World } from "../model/world";

export function seedApprovals(world: World): void {
  world.approvals.set(demo.clientId, {
    settings: { enabled: true, dual_admin: false, currency: "EUR" },
    config: {
      groups: [
        { id: "group-a", name: "A", members: ["contact-demo", "contact-second-admin"] },
        { id: "group-b", name: "B", members: ["contact-approver"] },
      ],
      rules: [
        {
          id: "rule-1",
          min_amount: 0,
          max_amount: 10_000,
          currency: "EUR",
          combinations: [[{ group: "A", approvals: 1 }], [{ group: "B", approvals: 1 }]],
        },
        {
          id: "rule-2",
          min_amount: 10_000,
          max_amount: null,
          currency: "EUR",
          combinations: [
            [
              { group: "A", approvals: 1 },
              { group: "B", approvals: 1 },
            ],
            [{ group: "A", approvals: 2 }],
          ],
        },
      ],
    },
  });
}
