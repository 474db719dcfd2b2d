/** Dollars for a million tokens. What is not said of a cache costs as other input does. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
}

export interface Price extends Rates {
  /** The first day on which it holds, `YYYY-MM-DD`; always where nothing is said. */
  readonly from?: string | undefined
  /** The highest rates, where they rise with the length of a request. */
  readonly long?: Rates | undefined
}

/** What a service takes for one of its models. */
export interface PriceRow {
  readonly provider: string
  /** How the model is called; `*` stands for any text. */
  readonly names: readonly string[]
  /** Tokens that a request and its answer may have together. */
  readonly context?: number
  /** Later ones hold where they have begun. */
  readonly prices: readonly Price[]
}
