import type { Environment, VariableSource } from '../environment/environment.ts'
import type { Config } from '../schema/schema.ts'

/** `environment` stands for the variables of the process. */
export interface Place {
  readonly file: string
  /** First line is 1; 0 where there is none. */
  readonly line: number
}

/** Something in config.yaml, .env or a variable that does not fit. */
export interface ConfigProblem extends Place {
  readonly key: string
  /** One sentence without its full stop. */
  readonly problem: string
  /** The valid name that was probably meant. */
  readonly nearest?: string
  /** Set where the key itself is what does not exist. */
  readonly unknownKey?: true
  /** Set where the setting is valid and changes nothing. */
  readonly withoutEffect?: true
  /** `warning`: works, but should be changed. `error`: ignored, the default holds. */
  readonly level: 'error' | 'warning'
  /** Set when only this plugin is blocked by it. */
  readonly plugin?: string
  /** Set when only this platform is blocked by it. */
  readonly platform?: string
  /** Set when only this MCP server is left out by it. */
  readonly server?: string
}

/** The variable that holds instead of a key. */
export interface OverridingVariable {
  readonly name: string
  readonly source: VariableSource
}

export type ValueSource = 'default' | 'file' | VariableSource

export interface Loaded {
  readonly config: Config
  readonly problems: readonly ConfigProblem[]
  readonly environment: Environment
  /** Providers that somebody logged in to, or gave a key for. */
  readonly loggedIn: ReadonlySet<string>
  /** Where the value that holds for a dotted key comes from. */
  sourceOf(key: string): ValueSource
  /** The variable that shadows a dotted key, if one does. */
  overriddenBy(key: string): OverridingVariable | undefined
  /** Where a setting stands in config.yaml, or the section around it; a variable may shadow it. */
  placeOf(path: readonly string[]): Place
  /** Where a variable has its value from. */
  placeOfVariable(name: string): Place
  /** The file was read with older spellings; the next `config set` writes the current ones. */
  readonly migrated: boolean
}
