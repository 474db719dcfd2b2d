/** Objects that are more than data, which can be handed over with a call. */
export type Handed = 'toolCall' | 'memoryOwner' | 'pluginContext' | 'httpHandler' | 'bytes'

/** How a member crosses the border: a call answers once, a note never, a stream item by item. */
export interface Crossing {
  readonly how: 'call' | 'note' | 'stream'
  /** Interfaces of the arguments that are more than data, by position. */
  readonly takes?: readonly (Handed | undefined)[]
}

interface AnyRow {
  /** Its list in a manifest and in a definition. */
  readonly list: string
  /** What people call one contribution. */
  readonly title: string
}

/** A kind whose contributions have code: an entry, which the host opens. */
export interface CodeRow extends AnyRow {
  /** `optional`: a contribution may also be data alone. */
  readonly code: 'required' | 'optional'
  /** The method of the entry's default export that the host calls. */
  readonly method: string
  /** What that method gives: its name and its members at the border; `*` stands for any name. */
  readonly gives: string
  readonly members: Readonly<Record<string, Crossing>>
  /** `shared`: a contribution without a schema for its settings gets those of its plugin. */
  readonly settings: 'own' | 'shared'
}

/** A kind whose contributions the host reads. */
export interface DataRow extends AnyRow {
  readonly code: 'none'
  /** The file in the folder `path` of a contribution that it begins with. */
  readonly file?: string
}

export type KindRow = CodeRow | DataRow
