/** Accessibility of a page in a browser. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the accessibility violations found by axe. */
export async function accessibilityViolations(tab: Page): Promise<readonly string[]> {
  await tab.evaluate(axe.source);
  return tab.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}
