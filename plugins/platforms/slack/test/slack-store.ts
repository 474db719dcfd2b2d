/** What a method answers. */
export type Answer = Readonly<Record<string, unknown>>

export interface Bot {
  readonly token: string
  readonly team: string
  readonly user: string
  readonly bot: string
}

export interface SlackBlock {
  readonly type: string
  readonly block_id?: string
  readonly text?: { readonly text: string }
  readonly elements?: readonly { readonly value?: string; readonly text?: { readonly text: string } | string }[]
}

export interface Posted {
  readonly channel: string
  readonly ts: string
  readonly user: string
  readonly bot_id?: string
  text: string
  readonly thread_ts?: string
  blocks?: readonly SlackBlock[]
  readonly metadata?: unknown
  readonly files?: readonly { readonly id: string }[]
  readonly reactions: Set<string>
}

export interface StoredFile {
  readonly name: string
  readonly mime: string
  bytes: Uint8Array
  /** Where it lies when that is not here. */
  readonly elsewhere?: string
  /** `locked`: its place may not be read. */
  state: 'expected' | 'uploaded' | 'shared' | 'locked'
}

/** What one Slack keeps. */
export interface SlackStore {
  readonly url: () => string
  readonly messages: Posted[]
  readonly ephemeral: { readonly user: string; readonly text: string }[]
  readonly statuses: string[]
  readonly files: Map<string, StoredFile>
  keep(message: Omit<Posted, 'ts' | 'reactions'>): Posted
  /** Gives the id. */
  keepFile(file: StoredFile): string
}

export const channels: Readonly<Record<string, { readonly name?: string; readonly member: boolean; readonly is_im?: boolean }>> = {
  D0ANN: { member: true, is_im: true },
  C0ROOM: { name: 'room', member: true },
  C0SHUT: { name: 'shut', member: false },
  ...listCrowd('D', () => ({ member: true, is_im: true })),
}
export const people: Readonly<Record<string, string>> = { U0ANN: 'Ann', U0BOB: 'Bob', ...listCrowd('U', (index) => `Person ${index}`) }

/** People of a crowd, and the direct conversations with them. */
export function numberPerson(kind: 'U' | 'D', index: number): string {
  return `${kind}0P${index}`
}

function listCrowd<T>(kind: 'U' | 'D', describe: (index: number) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Array.from({ length: 20 }, (_, index) => [numberPerson(kind, index), describe(index)]))
}

export function createStore(url: () => string): SlackStore {
  const messages: Posted[] = []
  const files = new Map<string, StoredFile>()
  return {
    url,
    messages,
    ephemeral: [],
    statuses: [],
    files,
    keep: (message) => {
      const posted = { ...message, ts: `${1_700_000_001 + messages.length}.000100`, reactions: new Set<string>() }
      messages.push(posted)
      return posted
    },
    keepFile: (file) => {
      const id = `F${files.size + 1}`
      files.set(id, file)
      return id
    },
  }
}
