import type * as z from 'zod'
import type { CodeKind, ContractKind, contracts, Entries, kinds, ListOf } from './kinds.ts'
import type { ManifestInput } from './manifest.ts'
import type { PanelMethodDefinition } from './panel.ts'
import type { ToolDefinition } from './toolset.ts'

/**
 * A lazy import of an entry file, `() => import('./connection.ts')`.
 * It exists for types and for the build: the build reads the path from it and writes the bundled file's name into the manifest.
 */
export type Entry<T> = () => Promise<{ readonly default: T }>

type Input<Kind extends ContractKind> = z.input<(typeof contracts)[Kind]['spec']>

/** Entry and settings of a contribution with code. */
interface Code<Default> {
  readonly entry: Entry<Default>
  readonly config?: z.ZodObject
}

type CodeOf<Kind extends CodeKind> = (typeof kinds)[Kind]['code'] extends 'required'
  ? Code<Entries<never>[Kind]>
  : Partial<Code<Entries<never>[Kind]>>

/** What a definition writes in another way than a manifest. */
interface Rewritten {
  readonly toolset: { readonly tools: { readonly [name: string]: ToolDefinition } }
  readonly panel: { readonly methods: { readonly [name: string]: PanelMethodDefinition } }
}

type RewrittenOf<Kind extends ContractKind> = Kind extends keyof Rewritten ? Rewritten[Kind] : unknown
type Kept<Kind extends ContractKind> = Omit<Input<Kind>, 'id' | 'entry' | 'configSchema' | keyof RewrittenOf<Kind>>

/** How a contribution of each kind is written in a definition. */
export type Definitions = {
  readonly [Kind in ContractKind]: Kept<Kind> & RewrittenOf<Kind> & (Kind extends CodeKind ? CodeOf<Kind> : unknown)
}

type Contributions = { readonly [Kind in ContractKind as ListOf<Kind>]?: { readonly [id: string]: Definitions[Kind] } }

/** The source of a plugin's manifest: data, schemas and lazy entries. A build-time input; it is not shipped. */
export interface PluginDefinition
  extends Omit<ManifestInput, 'manifestVersion' | 'version' | 'license' | 'contributes' | 'configSchema' | 'api' | '$schema'>,
    Contributions {
  readonly config?: z.ZodObject
}

/** Declares a plugin; the default export of `src/plugin.ts`. Version and license come from package.json. */
export function definePlugin<const D extends PluginDefinition>(definition: D): D {
  return definition
}

/** The checked configuration of one contribution: `ConfigOf<typeof definition, 'platforms', 'irc'>`. */
export type ConfigOf<D extends PluginDefinition, List extends ListOf<CodeKind>, Id extends keyof NonNullable<D[List]>> = NonNullable<
  D[List]
>[Id] extends { readonly config: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : unknown

type Tools = Definitions['toolset']['tools']

/** Declares the tools of a toolset; the export `tools` of `src/tools.ts`, which the definition and the code of the tools both import. */
export function defineTools<const T extends Tools>(tools: T): T {
  return tools
}

/** The checked arguments of one tool: `ArgsOf<typeof tools, 'read_file'>`. */
export type ArgsOf<T extends Tools, Name extends keyof T> = T[Name] extends { readonly parameters: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : never
