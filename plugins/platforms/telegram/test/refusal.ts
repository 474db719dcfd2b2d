/** A refusal in the words of the Bot API. */
export class Refusal extends Error {
  readonly code: number
  readonly retryAfter: number | undefined

  constructor(code: number, message: string, retryAfter?: number) {
    super(message)
    this.code = code
    this.retryAfter = retryAfter
  }
}
