/** Functions of the OAuth library. The build bundles the library into this file, so nothing else may import it. */
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
