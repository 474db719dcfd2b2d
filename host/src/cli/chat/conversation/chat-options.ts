export interface ChatOptions {
  readonly z?: string
  readonly continue?: string | true
  readonly resume?: string
  readonly provider?: string
  readonly model?: string
  readonly safeMode?: true
  readonly ignoreUserConfig?: true
  readonly ignoreRules?: true
  readonly cli?: true
  readonly tui?: true
  readonly checkpoints?: true
  readonly skills?: string
}
