/** How one gets in: the tokens of the people who log in. */
import { Tokens, type TokensState } from "./tokens";
import { demo } from "../parties/parties";
import type { Random } from "../random";

/** For whom a token is: the contact who logged in and the clients that contact acts for. */
export interface Grant {
  readonly contactId: string;
  readonly clientIds: readonly string[];
}

/** Any of the last ten refresh tokens of a contact is good, for 28 days; those of the demo company always are. */
export const createSignInTokens = (random: Random, home: Grant, state?: TokensState<Grant>): Tokens<Grant> =>
  new Tokens<Grant>(
    random,
    {
      refreshTokenSeconds: 28 * 86_400,
      maxRefreshTokens: 10,
      holderOf: ({ contactId }) => contactId,
      permanent: {
        accessToken: demo.accessToken,
        refreshToken: demo.refreshToken,
        grant: home,
      },
    },
    state,
  );
