/** Derives the listed resource of a watch. */
import { callerFieldDocs, describeOperation } from "../core/spec/describe-operation";
import { isRequirementRule } from "../core/spec/operation";
import type { Watch } from "../core/spec/watch";
import { watchInputProperties } from "./watch-tool";
import { argumentName } from "./render/names";
import type { WatchResource } from "./protocol";
import { watchMimeType, watchUriRoot } from "./watch-uri";

export function watchResourceOf(watch: Watch): WatchResource {
  const page = describeOperation(watch);
  const fields = callerFieldDocs(page);
  const names = [
    ...fields.map(({ name }) => argumentName(name)),
    ...Object.keys(watchInputProperties(watch)),
  ];
  const uri = `${watchUriRoot}${watch.tool}`;
  const isOpen =
    fields.every(({ requirement }) => requirement !== "required") && !page.rules.some(isRequirementRule);
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
