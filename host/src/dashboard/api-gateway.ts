/** What is told of answers of which nobody knows whether they arrived. Types alone, as in `api.ts`. */

/**
 * GET /api/gateway/unknown. POST /api/gateway/unknown/{seq}/resend sends one again; POST /api/gateway/unknown/{seq}/settle {fate} takes it off the
 * list: `arrived` where somebody has seen it, `lost` where it is given up.
 */
export interface UnknownAnswers {
  readonly sends: readonly UnknownAnswer[]
}

export interface UnknownAnswer {
  readonly seq: number
  readonly platform: string
  readonly conversation: string
  /** What people call the conversation, where that is known. */
  readonly name?: string
  /** Its beginning. */
  readonly text: string
  readonly problem: string
  /** Since when nobody knows. */
  readonly at: number
}
