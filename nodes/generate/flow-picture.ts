/** Draws flows and palette groups as SVG, like the editor. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Node in a flow file. */
export interface PlacedNode {
  readonly id: string;
  readonly type: string;
  readonly z?: string;
  readonly name?: string;
  readonly x?: number;
  readonly y?: number;
  readonly wires?: readonly (readonly string[])[];
}

/** Appearance of a node type. */
export interface Look {
  readonly label: string;
  readonly color: string;
  /** File name in icons/. */
  readonly icon?: string;
}

const height = 30;
const margin = 20;

/** Returns the width of a node for a label, in the grid steps of the editor. */
export const widthOf = (label: string): number =>
  Math.max(100, Math.ceil((label.length * 6.9 + 54) / 20) * 20);

export const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const defaultIcon = "fxdesk.svg";

/** Returns an icon as an SVG symbol. Falls back to the default icon if the file is missing. */
function iconDrawing(icon: string, folder: string): string {
  const file = [icon, defaultIcon].map((name) => join(folder, name)).find((path) => existsSync(path))!;
  const [, inner] = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(file, "utf8"))!;
  return `<symbol id="${icon.replace(".svg", "")}" viewBox="0 0 40 60">${inner!.trim()}</symbol>`;
}

const style = `<style>text{font:14px Helvetica,Arial,sans-serif;fill:#333}.n{stroke:#999}.w{fill:none;stroke:#999;stroke-width:3}.p{fill:#d9d9d9;stroke:#999}symbol{fill:none;stroke:#fff;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}.c{font-style:italic}</style>`;

/** Draws a node with its upper left corner at 0, 0. */
function nodeBox(look: Look, width: number, tall: number): string {
  const icon = look.icon
    ? `<path d="M5 0h25v${tall}H5q-5 0-5-5V5q0-5 5-5z" opacity=".12"/><use href="#${look.icon.replace(".svg", "")}" width="20" height="30" x="5" y="${(tall - height) / 2}"/>`
    : `<path d="M5 0h25v${tall}H5q-5 0-5-5V5q0-5 5-5z" opacity=".06"/>`;
  return `<rect class="n" width="${width}" height="${tall}" rx="5" fill="${look.color}"/>${icon}<text x="38" y="${tall / 2 + 5}">${escapeXml(look.label)}</text>`;
}

const port = (x: number, y: number): string =>
  `<rect class="p" x="${x - 5}" y="${y - 5}" width="10" height="10" rx="3"/>`;

/** Draws a wire from an output to an input. Wires to the left are curved further out. */
function wirePath(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const distance = Math.abs(to.x - from.x);
  const swing = to.x > from.x ? Math.min(75, distance * 0.75) : 75;
  return `<path class="w" d="M${from.x} ${from.y}C${from.x + swing} ${from.y} ${to.x - swing} ${to.y} ${to.x} ${to.y}"/>`;
}

interface PositionedNode extends PlacedNode {
  readonly look: Look;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly tall: number;
}

const outputAt = ({ left, top, width, tall, wires = [] }: PositionedNode, index: number) => ({
  x: left + width,
  y: top + tall / 2 + (index - (wires.length - 1) / 2) * 13,
});

const inputAt = ({ left, top, tall }: PositionedNode) => ({ x: left, y: top + tall / 2 });

function drawing(title: string, size: readonly [number, number], icons: string, content: string): string {
  const [width, tall] = size;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${tall}" viewBox="0 0 ${width} ${tall}" role="img"><title>${escapeXml(title)}</title>${style}${icons}<rect width="100%" height="100%" fill="#fff"/>${content}</svg>\n`;
}

function symbols(looks: readonly Look[], folder: string): string {
  const icons = [...new Set(looks.flatMap(({ icon }) => icon ?? []))].toSorted();
  return icons.map((icon) => iconDrawing(icon, folder)).join("");
}

/** Draws a flow. Comments are italic text. */
export function flowPicture(
  title: string,
  flow: readonly PlacedNode[],
  lookOf: (node: PlacedNode) => Look,
  icons: string,
): string {
  const nodes = flow.filter(({ x }) => x !== undefined);
  const lefts = nodes.map((node) => node.x! - widthOf(lookOf(node).label) / 2);
  const [shiftX, shiftY] = [
    margin - Math.min(...lefts),
    margin + height / 2 - Math.min(...nodes.map(({ y }) => y!)),
  ];
  const placed = nodes.map((node): PositionedNode => {
    const look = lookOf(node);
    const width = widthOf(look.label);
    const tall = Math.max(height, (node.wires?.length ?? 0) * 15);
    return {
      ...node,
      look,
      width,
      tall,
      left: node.x! - width / 2 + shiftX,
      top: node.y! - tall / 2 + shiftY,
    };
  });
  const byId = new Map(placed.map((node) => [node.id, node]));
  const wireEnds = placed.flatMap((node) =>
    (node.wires ?? []).flatMap((ids, index) =>
      ids.flatMap((id) => (byId.has(id) ? [[outputAt(node, index), byId.get(id)!] as const] : [])),
    ),
  );
  const connectedNodes = new Set(wireEnds.map(([, to]) => to));
  const content = [
    ...wireEnds.map(([from, to]) => wirePath(from, inputAt(to))),
    ...placed.map((node) => {
      const { look, left, top, width, tall, wires = [] } = node;
      if (node.type === "comment")
        return `<text class="c" x="${left + 10}" y="${top + 20}">${escapeXml(look.label)}</text>`;
      const ports = [
        ...(connectedNodes.has(node) ? [port(0, tall / 2)] : []),
        ...wires.map((_, index) => port(width, outputAt(node, index).y - top)),
      ];
      return `<g transform="translate(${left} ${top})">${nodeBox(look, width, tall)}${ports.join("")}</g>`;
    }),
  ];
  const right = Math.max(...placed.map(({ left, width }) => left + width)) + margin;
  const bottom = Math.max(...placed.map(({ top, tall }) => top + tall)) + margin;
  const looks = placed.filter(({ type }) => type !== "comment").map(({ look }) => look);
  return drawing(title, [right, bottom], symbols(looks, icons), content.join(""));
}

const columns = 3;

/** Draws the nodes of a palette group in columns. */
export function palettePicture(title: string, looks: readonly Look[], icons: string): string {
  const width = Math.max(...looks.map(({ label }) => widthOf(label)));
  const perColumn = Math.ceil(looks.length / columns);
  const content = looks.map((look, index) => {
    const [column, row] = [Math.floor(index / perColumn), index % perColumn];
    const translation = `${margin + column * (width + margin)} ${margin + row * 40}`;
    return `<g transform="translate(${translation})">${nodeBox(look, width, height)}</g>`;
  });
  const usedColumns = Math.ceil(looks.length / perColumn);
  const size = [margin + usedColumns * (width + margin), margin + perColumn * 40 + 10] as const;
  return drawing(title, size, symbols(looks, icons), content.join(""));
}
