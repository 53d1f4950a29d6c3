/** Takes screenshots for the documentation; only in npm run pictures. */
import { join } from "node:path";
import type { Page, PageScreenshotOptions } from "playwright-core";

const images = join(__dirname, "../../docs/images");

export async function takePicture(
  page: Page,
  name: string,
  options: PageScreenshotOptions = {},
): Promise<void> {
  if (process.env.FXDESK_WRITE_DOCS) await page.screenshot({ path: join(images, `${name}.png`), ...options });
}
