/** The service that the connections call. */
import { serviceFrom } from "../core/client/extensions";
import { contract } from "../core/operations/contract";
import type { Service } from "../core/operations/definition";

export interface UserService {
  /** With the user's extensions, where they can be had. */
  readonly service: Service;
  /** Why they cannot. Nothing is called then: a flow may need them. */
  readonly problem?: string;
}

export function userService(environment: Readonly<Record<string, string | undefined>>): UserService {
  try {
    return { service: serviceFrom(environment) };
  } catch (error) {
    return { service: contract, problem: (error as Error).message };
  }
}
