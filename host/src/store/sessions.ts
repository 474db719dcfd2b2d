import type { ModelMessage, Usage } from '@agent/plugin-sdk'
import type { ChildAgents } from './child-agents.ts'

/** A stored conversation with a model. */
export interface Session {
  readonly id: string
  /** Under which a door finds it again; free for another session once this one has ended. */
  readonly key: string | null
  readonly source: string
  readonly title: string | null
  /** Who gave it the title. */
  readonly titledBy: 'person' | 'model' | null
  readonly provider: string
  readonly model: string
  /** With `tools` the stable prefix: written once, never changed. */
  readonly system: string
  /** JSON of the `ToolSpec` list. */
  readonly tools: string
  /** The session that this one continues. */
  readonly parent: string | null
  readonly startedAt: number
  readonly lastAt: number
  readonly endedAt: number | null
  readonly endReason: string | null
  /** How many messages it holds. */
  readonly messages: number
  readonly usage: Usage
  /** How many model calls it took. */
  readonly calls: number
  readonly workspace: string | null
  /** Tokens of its last request and answer, by which it is known when it has to become shorter; null where nobody knows. */
  readonly context: number | null
  /** Whose memory and earlier sessions it may use; null where nobody knows. */
  readonly owner: string | null
}

/** What a model hears in place of the first messages of a session. */
export interface Compression {
  /** It stands for so many of the stored messages. */
  readonly upTo: number
  readonly messages: readonly ModelMessage[]
  readonly reason: 'threshold' | 'overflow' | 'asked'
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export interface NewSession {
  readonly key?: string | null
  readonly source: string
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly tools: string
  readonly parent?: string | null
  /** Where it is taken, the next free one of its lineage is used. */
  readonly title?: string | null
  readonly workspace?: string | null
  readonly owner?: string | null
}

/** What one turn adds to a session. */
export interface TurnRows {
  /** With `create` the session is made in the same commit, unless it is there already. */
  readonly session: { readonly id: string; readonly create?: NewSession }
  readonly messages: readonly ModelMessage[]
  readonly usage: Usage
  readonly calls: number
  readonly at: number
  /** Written in the same commit; one that stands for more messages than there are is left out. */
  readonly compressions?: readonly Compression[]
  /** Absent: as it was. */
  readonly context?: number
}

/** A line of a session list: without the prefix, with the beginning of what was asked first. */
export interface SessionSummary extends Omit<Session, 'system' | 'tools'> {
  readonly preview: string
}

export interface SearchHit {
  readonly session: string
  readonly title: string | null
  readonly source: string
  readonly role: ModelMessage['role']
  readonly at: number
  /** Found words stand between `>>>` and `<<<`. */
  readonly snippet: string
}

/** Whose sessions: those under a key whose memory is of one owner. */
export interface ConversationSessions {
  readonly key: string
  readonly owner: string
}

/** How a session is copied. */
export interface Branch {
  /** The id of the copy. */
  readonly as: string
  /** Where it is taken, the next free one of its lineage is used; absent: the next one of the session that it comes from, if that has one. */
  readonly title?: string | undefined
  /** The copy is found by the key from now on; the session that it comes from has ended. */
  readonly takesPlace?: boolean
}

/** What was taken from the end of a session. */
export interface TakenBack {
  /** The beginning of what the person had said. */
  readonly text: string
  /** So many messages went, and so many are left. */
  readonly messages: number
  readonly kept: number
}

export type ExportLine =
  | { readonly type: 'session'; readonly session: Session }
  | { readonly type: 'message'; readonly at: number; readonly message: ModelMessage }
  | { readonly type: 'compression'; readonly at: number; readonly compression: Compression }

/** A whole session that was exported. */
export interface Exported {
  readonly session: Session
  readonly messages: readonly Extract<ExportLine, { type: 'message' }>[]
  readonly compressions: readonly Extract<ExportLine, { type: 'compression' }>[]
}

/** What became of a session that was imported. */
export interface Imported {
  readonly session: Session
  /** A session with its id was there: it is gone, or stays and the imported one has another id. */
  readonly was: 'free' | 'replaced' | 'taken'
}

/** Which sessions are old. One that was used since, or is among the newest, never is. */
export interface AgeRule {
  /** Last used before this time. */
  readonly before: number
  /** So many of the newest stay, whenever they were used. */
  readonly keep: number
  /** Those that a person gave their title, too. */
  readonly titled: boolean
}

export interface Sessions {
  find(id: string): Promise<Session | undefined>
  /** The session that has this key and has not ended. */
  byKey(key: string): Promise<Session | undefined>
  /** By id, title (the newest of its lineage), unique beginning of an id, or `latest`, which is none of a child agent; `sources` narrows `latest`. */
  resolve(reference: string, options?: { readonly sources?: readonly string[] }): Promise<Session>
  commit(rows: TurnRows): Promise<void>
  /** All messages. */
  history(id: string): Promise<readonly ModelMessage[]>
  /** What a model hears of it: the newest compression, and the messages after those that it stands for. */
  heard(id: string): Promise<readonly ModelMessage[]>
  /** How often it was compressed. */
  compressions(id: string): Promise<number>
  /** Newest first; those of child agents (`subagent`) only where their source is asked for. */
  list(options: {
    readonly limit: number
    readonly offset?: number
    readonly source?: string | undefined
    /** Only those that this conversation has had. */
    readonly of?: ConversationSessions | undefined
  }): Promise<readonly SessionSummary[]>
  /** Words (all of them), `"a phrase"`, `prefix*`; best match first. */
  search(query: string, options: { readonly limit: number; readonly source?: string | undefined }): Promise<readonly SearchHit[]>
  /** Answers with the title as it was stored. */
  rename(id: string, title: string): Promise<string>
  /** Gives a session that has no title the next free one of this line, in the name of a model; undefined where it has one, or is gone. */
  suggestTitle(id: string, title: string): Promise<string | undefined>
  /** The next free title of a lineage: `name`, `name #2`, `name #3`. */
  nextTitle(title: string): Promise<string>
  /** Keeps the first messages and takes out the rest; what was used for them stays counted. */
  truncate(id: string, messages: number): Promise<void>
  /** Copies the session with all that was said; answers with the copy. */
  branch(id: string, branch: Branch): Promise<Session>
  /** Takes out what a person said last, with all that came of it; undefined where nobody has said anything. */
  takeBack(id: string): Promise<TakenBack | undefined>
  delete(id: string): Promise<void>
  /** Those that a rule finds old, the oldest first. */
  old(rule: AgeRule): Promise<readonly SessionSummary[]>
  /** Deletes those of them that are still as old; answers with how many that were. */
  deleteOld(found: readonly Pick<Session, 'id'>[], rule: AgeRule): Promise<number>
  /** Says that the session is used now; false where it is gone. */
  touch(id: string): Promise<boolean>
  end(id: string, reason: string): Promise<void>
  /** A conversation goes on with a session that it has had; the one that it has now ends. False where it is of another conversation or owner. */
  reopen(id: string, of: ConversationSessions): Promise<boolean>
  /** All sessions of child agents whose parents are known. */
  childAgents(): Promise<ChildAgents>
  /** Ends the sessions of the child agents of a session that have not ended, and of those below them. */
  endChildren(parent: string, reason: string): Promise<void>
  export(id: string): AsyncIterable<ExportLine>
  /** Writes an exported session in one commit, under its id, or under `otherId` where that is taken and nothing is replaced. No platform finds it by its key. */
  import(exported: Exported, options: { readonly otherId: string; readonly replace?: boolean }): Promise<Imported>
}
