export interface ErrorEntry {
  /** HTTP status where the error leaves over HTTP. */
  readonly status: number
  /** The user's sentence: what failed, for which name, what to do next. */
  readonly text: (params: never) => string
}

/** What concerns HTTP alone; a part of the table of errors. */
export const httpErrors = {
  HTTP_BAD_JSON: { status: 400, text: (p: { detail: string }) => `The body is not valid JSON: ${p.detail}.` },
  HTTP_INVALID: { status: 400, text: (p: { param: string; problem: string }) => `${p.param}: ${p.problem}.` },
  HTTP_CONTENT_TYPE: { status: 415, text: (p: { got: string }) => `The body must be application/json, not ${p.got}.` },
  HTTP_CONTENT_UNSUPPORTED: { status: 400, text: (p: { param: string; what: string }) => `${p.param}: ${p.what} cannot be read here.` },
  HTTP_IMAGE_URL: { status: 400, text: (p: { param: string; problem: string }) => `${p.param}: ${p.problem}.` },
  HTTP_CONTENT_PART: { status: 400, text: (p: { param: string; problem: string }) => `${p.param}: ${p.problem}.` },
  HTTP_BODY_TOO_LARGE: { status: 413, text: (p: { limit: number }) => `The body is larger than ${p.limit} bytes.` },
  HTTP_KEY_INVALID: { status: 401, text: () => 'Invalid API key.' },
  HTTP_SESSION_KEYLESS: { status: 403, text: () => 'A session can be continued only where API_SERVER_KEY is set.' },
  HTTP_ORIGIN: {
    status: 403,
    text: (p: { origin: string }) => `Requests from ${p.origin} are not allowed. API_SERVER_CORS_ORIGINS lists the origins that are.`,
  },
  HTTP_HOST: { status: 403, text: (p: { host: string }) => `Requests for the host ${p.host} are not answered without a key.` },
  HTTP_NOT_FOUND: { status: 404, text: (p: { what: string; param?: string }) => `There is no ${p.what}.` },
  HTTP_METHOD: { status: 405, text: (p: { method: string; path: string }) => `${p.method} is not offered for ${p.path}.` },
  HTTP_APPROVALS_KEYLESS: { status: 403, text: () => 'Approvals can be given only where API_SERVER_KEY is set.' },
  HTTP_IDEMPOTENCY: { status: 409, text: () => 'This Idempotency-Key was used for another request within the last day.' },
  HTTP_RUN_NOT_ASKING: { status: 409, text: (p: { run: string }) => `Run ${p.run} does not wait for this answer.` },
  HTTP_RESPONSE_PENDING: { status: 409, text: (p: { response: string }) => `Response ${p.response} is still being written.` },
  HTTP_RATE_LIMIT: { status: 429, text: (p: { path: string }) => `Too many requests to ${p.path}. Try again in a minute.` },
  HTTP_CROWDED: { status: 503, text: () => 'Too much is being sent at once. Send it again in a few seconds.' },
  HTTP_TOO_MANY: { status: 429, text: (p: { limit: number }) => `Too many concurrent runs (limit ${p.limit}).` },
  HTTP_FOREIGN: {
    status: 403,
    text: (p: { what: string }) => `${p.what} is not the address of this dashboard, and nothing is answered to it.`,
  },
  HTTP_TOKEN_INVALID: { status: 401, text: () => 'The dashboard does not know this page any more. Load it again.' },
  HTTP_LOGIN_NEEDED: { status: 401, text: () => 'Log in to the dashboard, then do it again.' },
  HTTP_LOGIN_WRONG: { status: 401, text: () => 'That name and password do not fit.' },
  GATE_UNUSABLE: {
    status: 503,
    text: (p: { gate: string }) => `Nobody can log in by ${p.gate} now. Who keeps this dashboard finds the reason in its log.`,
  },
  HTTP_CHANGED: { status: 409, text: (p: { what: string }) => `${p.what} was changed since it was read. Load it again.` },
  HTTP_ACTION_RUNS: { status: 409, text: (p: { action: string }) => `${p.action} still runs. Wait until it has ended.` },
  // Where an HTTP door is not opened, or is not there
  DASHBOARD_UNSAFE: {
    status: 500,
    text: (p: { host: string }) =>
      `Refusing to show the dashboard on ${p.host} without a login: anyone who reaches it could run commands. Set AGENT_DASHBOARD_BASIC_AUTH_USERNAME and AGENT_DASHBOARD_BASIC_AUTH_PASSWORD, an identity provider by AGENT_DASHBOARD_OIDC_ISSUER, or a gate of a plugin by dashboard.gates, listen on 127.0.0.1, or take --insecure.`,
  },
  DASHBOARD_REGISTERED: {
    status: 409,
    text: (p: { clientId: string; name: string }) =>
      `Nothing was changed: the dashboard has the client id ${p.clientId} already (${p.name}). --again registers another one; the provider keeps the old one until somebody removes it there.`,
  },
  DASHBOARD_REGISTER_FAILED: {
    status: 502,
    text: (p: { issuer: string; problem: string; next: string }) => `${p.issuer} did not register the dashboard: ${p.problem}. ${p.next}`,
  },
  DASHBOARD_NOT_RUNNING: { status: 409, text: (p: { home: string }) => `No dashboard runs for ${p.home}. agent dashboard starts one.` },
} as const satisfies Record<string, ErrorEntry>
