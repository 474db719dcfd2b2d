import type { PastMessage } from '@agent/plugin-sdk'

/** What was said in the sessions of one owner, and in no others. */
export interface Past {
  /** Messages with any of the words, best match first. */
  find(wish: { readonly owner: string; readonly query: string; readonly most: number }): Promise<readonly PastMessage[]>
  /** The first message of each session, newest session first. */
  latest(wish: { readonly owner: string; readonly most: number }): Promise<readonly PastMessage[]>
  /** Messages in their order, from a number on. Rejects with SESSION_NOT_FOUND where the session is not of this owner. */
  read(wish: {
    readonly owner: string
    readonly session: string
    readonly from: number
    readonly most: number
  }): Promise<readonly PastMessage[]>
}
