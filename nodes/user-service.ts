/** The service that the connections call. */
import { serviceFrom } from "../core/client/extensions";
import type { Service } from "../core/declaration/service";
import { fxdeskService } from "../core/service";

export interface UserService {
  /** With the user's extensions, where they can be had. */
  readonly service: Service;
  /** Why they cannot. Nothing is called then: a flow may need them. */
  readonly loadError?: string;
}

export function loadUserService(environment: Readonly<Record<string, string | undefined>>): UserService {
  try {
    return { service: serviceFrom(environment) };
  } catch (error) {
    return { service: fxdeskService, loadError: (error as Error).message };
  }
}

/** With what needs quotes, too: its node is there where no extension quotes, and says so when it is called. */
export const withQuoteProcedures = (service: Service): Service => ({
  ...service,
  procedures: [...(service.procedures ?? []), ...(service.quoteProcedures ?? [])],
});
