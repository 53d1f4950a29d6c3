/** Settings and credentials of the demo company. */
import type { Service } from "@fxdesk/toolkit/operations";
import { demo, demoCredential } from "../world/parties/parties";
import type { World } from "../world/model/world";

/** The demo company's credentials by setting, including those of a custom service. */
export type Demo = Readonly<Record<keyof typeof demo, string>> & Readonly<Record<string, string>>;

const credentialsOf = ({ credentials }: Service): Record<string, string> =>
  Object.fromEntries(Object.values(credentials).map(({ setting }) => [setting, demoCredential(setting)]));

export const demoOf = (service: Service, { home, settings }: World): Demo => ({
  ...credentialsOf(service),
  ...demo,
  ...home,
  redirectUri: settings.redirectUri,
});
