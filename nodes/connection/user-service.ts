/** The service with the user's extensions. */
import { serviceFrom } from "../../core/client/extensions";
import type { Service } from "../../core/spec/service";
import { fxdeskService } from "../../core/client/fxdesk-service";

export interface UserService {
  /** Includes the extensions if they could be loaded. */
  readonly service: Service;
  /** Reason why the extensions could not be loaded. Connections then refuse all calls, because flows may need them. */
  readonly loadError?: string;
}

export function loadUserService(environment: Readonly<Record<string, string | undefined>>): UserService {
  try {
    return { service: serviceFrom(environment) };
  } catch (error) {
    return { service: fxdeskService, loadError: (error as Error).message };
  }
}

/** Adds the procedures that need quotes. Their nodes exist without a quoting extension too, and report its absence when called. */
export const withQuoteProcedures = (service: Service): Service => ({
  ...service,
  procedures: [...(service.procedures ?? []), ...(service.quoteProcedures ?? [])],
});
