/** What the login takes from its library, which is bundled here: nothing else imports it. */
export {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  allowInsecureRequests,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomState,
  nopkce,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from "oauth4webapi";
