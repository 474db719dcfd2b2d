import type { ManifestInput } from '@agent/plugin-sdk'
import type { TestHome } from '../../support/test-home.ts'

/** One way in which a plugin goes wrong, and what is to come of it. */
export interface Drill {
  readonly name: string
  /** What the plugin does; see `faulty-platform.ts`. Absent: nothing by itself. */
  readonly fault?: string
  /** `message`: it strikes when somebody says so. `start`: it is there from the start. `end`: when the gateway ends. */
  readonly strikes: 'message' | 'start' | 'end'
  readonly manifest?: (manifest: ManifestInput) => ManifestInput
  /** What is spoilt before the gateway starts. */
  readonly prepare?: (home: TestHome) => Promise<void> | void
  /** What somebody does to the running gateway instead of saying `now`. */
  readonly act?: (home: TestHome) => Promise<void> | void
  /** What somebody does about it, once it is detected. */
  readonly mend?: (home: TestHome) => Promise<void>
  /** More variables of the gateway. */
  readonly environment?: (home: TestHome) => Readonly<Record<string, string>>
  readonly settings?: Readonly<Record<string, unknown>>
  /** A line of the log that tells of the fault, or what `agent <words>` says. `nothing`: there is nothing to see. */
  readonly detected: RegExp | { readonly words: readonly string[]; readonly says: RegExp } | 'nothing'
  /** `answers`: the plugin answers again. A line of the log: it is kept from doing more. `detected`: nothing more happens. */
  readonly recovered: 'answers' | 'detected' | RegExp
  readonly withinMs?: number
}
