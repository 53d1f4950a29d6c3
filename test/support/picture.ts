/** Takes screenshots for the documentation; only in npm run pictures. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, PageScreenshotOptions } from "playwright-core";

const docs = join(__dirname, "../../docs");

/** The name is that of a file below docs. */
export async function takePicture(
  page: Page,
  name: string,
  options: PageScreenshotOptions = {},
): Promise<void> {
  if (process.env.FXDESK_WRITE_DOCS) await page.screenshot({ path: join(docs, `${name}.png`), ...options });
}

/** Takes a picture as WebP, which has a quarter of the bytes of PNG. */
export async function takeSmallPicture(
  page: Page,
  name: string,
  clip: NonNullable<PageScreenshotOptions["clip"]>,
): Promise<void> {
  if (!process.env.FXDESK_WRITE_DOCS) return;
  const png = await page.screenshot({ clip });
  const webp = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d")!.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.8).split(",")[1]!;
  }, png.toString("base64"));
  writeFileSync(join(docs, `${name}.webp`), Buffer.from(webp, "base64"));
}
