/** Tokens of people who log in. */
import { Tokens, type TokensState } from "./tokens";
import { demo } from "../parties/parties";
import type { Random } from "../common/random";

/** The contact who logged in, and the clients the contact acts for. */
export interface Grant {
  readonly contactId: string;
  readonly clientIds: readonly string[];
}

/** A contact's last ten refresh tokens are valid for 28 days; the demo company's tokens never expire. */
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
