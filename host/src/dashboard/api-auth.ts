/** What logins to the dashboard answer; beside `api.ts`, by the same rules. */

/** POST /api/auth/ticket: for one WebSocket, within 30 s. */
export interface Ticket {
  readonly ticket: string
}

/**
 * GET /api/auth/me, POST /api/auth/login {username, password, gate?} and POST /api/auth/logout; the first two ask for no token. A browser that logs in by
 * the identity provider goes to /auth/login?to=<query and fragment of the page> instead, by a gate of the way `redirect` to /auth/gate/<plugin>/<gate>/login,
 * and comes back to the page; `login` in its query tells what went wrong.
 */
export interface Login {
  /** This dashboard has a login at all. */
  readonly required: boolean
  /** This browser may use it; load the page again after a login, so that it gets its token. */
  readonly admitted: boolean
  /** How one may log in; `provider` is the name of the identity provider. */
  readonly ways?: { readonly password: boolean; readonly provider?: string; readonly gates?: readonly LoginGate[] }
  /** After a logout: the page at which the login at the identity provider is ended too. */
  readonly next?: string
}

/** A gate of a plugin, as the settings name it: the plugin, a colon and the gate. */
export interface LoginGate {
  readonly name: string
  readonly label: string
  /** Absent where it does not run: nobody gets in by it. */
  readonly way?: 'password' | 'redirect'
}
