/** Addresses of a client: invalid or unsafe ones are refused before a token could be sent there. */
import { createClient, type ClientOptions, optionsFromSettings } from "../../../core";

test.each<[options: ClientOptions]>([
  [{ domain: "example.com" }],
  [{ domain: "example.com:8443", environment: "sandbox" }],
  [{ baseUrl: "http://127.0.0.1:1/base/" }],
  [{ baseUrl: "https://[::1]:1" }],
  [{ xs2aUrl: "https://example.com" }],
  [{}],
])("accepts %j", (options) => {
  expect(() => createClient(options)).not.toThrow();
});

test.each<[options: ClientOptions, message: string]>([
  [
    { domain: "https://example.com/" },
    "domain must be a host name, for example example.com, without scheme or path",
  ],
  [{ domain: "example.com/path" }, "domain must be a host name"],
  [{ domain: "user@example.com" }, "domain must be a host name"],
  [{ baseUrl: "ftp://example.com" }, "baseUrl must be an http or https address"],
  [{ baseUrl: "example.com" }, "baseUrl must be an http or https address"],
  [{ xs2aUrl: "nonsense" }, "xs2aUrl must be an http or https address"],
  [{ baseUrl: "https://user:canary@example.com" }, "baseUrl must not contain a user name or password"],
  [
    { environment: "sandboxx" as never, domain: "example.com" },
    'environment must be api or sandbox, not "sandboxx"',
  ],
  [{ pacing: "theirs" as never }, "pacing must be own or shared"],
  [{ requestsPerSecond: 0 }, "requestsPerSecond must be a whole number"],
  [{ queueLimit: 0.5 }, "queueLimit must be a whole number"],
  [{ connections: 0 }, "connections must be a whole number"],
])("refuses %j: %s", (options, message) => {
  expect(() => createClient(options)).toThrow(TypeError);
  expect(() => createClient(options)).toThrow(message);
  expect(() => createClient(options)).not.toThrow("canary");
});

test.each(["soon", "0", "1e3"])("refuses the time limit %j in a setting", (timeoutMs) => {
  expect(() => optionsFromSettings({ timeoutMs })).toThrow("timeoutMs must be a whole number");
});
