/** What the family of logins to providers answers; beside `api.ts`, by the same rules. */

/** GET /api/providers/oauth: providers of models that one can log in to. */
export interface LoginList {
  readonly providers: readonly ModelLogin[]
}

export interface ModelLogin {
  readonly id: string
  readonly name: string
  /** `cli`: the login of another program is read where it lies; `key`: a key is taken as well. */
  readonly kinds: readonly ('device-code' | 'pkce' | 'cli' | 'key')[]
  /** `renews`: the token is over, and is renewed when it is used. */
  readonly state: 'none' | 'good' | 'renews' | 'ended'
  /** What is known of the login, a sentence. */
  readonly detail?: string
  /** When its token runs out. */
  readonly expiresAt?: number
  /** It belongs to the home around the profile, and can be ended there alone. */
  readonly inherited: boolean
  /** Why no login can begin, a sentence; absent: one can. */
  readonly needs?: string
  /** The login that is under way in this dashboard, or how the last one ended. */
  readonly step?: LoginStep
}

/**
 * POST /api/providers/oauth/{id}/start begins a login or joins the one that is under way; GET /api/providers/oauth/{id} tells how it goes; POST code {code}
 * hands in what was pasted; POST cancel ends it and forgets how it ended; POST logout forgets the login itself, and answers `Changed` as cancel does.
 */
export type LoginStep =
  | { readonly type: 'starting' }
  /** The person types in the code at the address; `fullAddress` has the code in it. */
  | { readonly type: 'code'; readonly address: string; readonly code: string; readonly fullAddress?: string; readonly endsAt: number }
  /** The person opens the address, and pastes the code, or the address that the browser ended at, if that is not taken by itself. */
  | { readonly type: 'address'; readonly address: string; readonly endsAt: number }
  /** What was pasted is handed in. */
  | { readonly type: 'asking' }
  /** The login is kept; one call is made with it. */
  | { readonly type: 'trying' }
  /** `answers`: false where that call was not answered. */
  | { readonly type: 'done'; readonly said: readonly string[]; readonly answers: boolean }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
