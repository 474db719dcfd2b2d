/** What became of a conversation. */
export interface TriedConversation {
  readonly file: string
  readonly name: string
  readonly status: 'passed' | 'failed' | 'stopped'
  /** Sentences; none where it passed. */
  readonly problems: readonly string[]
  readonly seconds: number
  readonly tokens: number
  readonly calls: number
  /** `provider/model` that answered; empty where none did. */
  readonly model: string
}
