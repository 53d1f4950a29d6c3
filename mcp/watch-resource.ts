/** The resource of a watch, as it is listed. */
import { inputFields, pageOf } from "../core/declaration/described-page";
import { requires } from "../core/declaration/operation";
import type { Watch } from "../core/declaration/watch";
import { watchProperties } from "./changes";
import { argumentName } from "./names";
import type { WatchResource } from "./protocol";
import { watchMimeType, watchRoot } from "./watch-address";

export function watchResourceOf(watch: Watch): WatchResource {
  const page = pageOf(watch);
  const fields = inputFields(page);
  const names = [...fields.map(({ name }) => argumentName(name)), ...Object.keys(watchProperties(watch))];
  const uri = `${watchRoot}${watch.tool}`;
  const isOpen = fields.every(({ need }) => need !== "required") && !page.rules.some(requires);
  return {
    uriTemplate: `${uri}{?${names.join(",")}}`,
    ...(isOpen && { uri }),
    about: {
      name: watch.tool,
      title: watch.title,
      description: watch.summary,
      mimeType: watchMimeType,
    },
  };
}
