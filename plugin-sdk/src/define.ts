import type * as z from 'zod'
import type { Commands } from './commands.ts'
import type { Hooks } from './hooks.ts'
import type {
  CommandsManifestInput,
  HooksManifestInput,
  ManifestInput,
  PlatformManifestInput,
  ProviderManifestInput,
  SkillManifest,
  ToolManifestInput,
  ToolsetManifestInput,
  WebBackendManifestInput,
} from './manifest.ts'
import type { Platform } from './platform.ts'
import type { Provider } from './provider.ts'
import type { Toolset } from './toolset.ts'
import type { WebBackend } from './web-backend.ts'

/**
 * A lazy import of an entry file, `() => import('./connection.ts')`.
 * It exists for types and for the build: the build reads the path from it and writes the bundled file's name into the manifest.
 */
export type Entry<T> = () => Promise<{ readonly default: T }>

type Written<T, Schemas extends string> = Omit<T, 'id' | 'entry' | Schemas>

export interface PlatformDefinition extends Written<PlatformManifestInput, 'configSchema'> {
  readonly config?: z.ZodObject
  readonly entry: Entry<Platform<never>>
}

export interface ProviderDefinition extends Written<ProviderManifestInput, 'configSchema'> {
  readonly config?: z.ZodObject
  readonly entry?: Entry<Provider<never>>
}

export interface ToolDefinition extends Omit<ToolManifestInput, 'name' | 'parameters'> {
  readonly parameters: z.ZodObject
}

export interface ToolsetDefinition extends Written<ToolsetManifestInput, 'configSchema' | 'tools'> {
  readonly config?: z.ZodObject
  readonly tools: { readonly [name: string]: ToolDefinition }
  readonly entry: Entry<Toolset<never>>
}

export interface WebBackendDefinition extends Written<WebBackendManifestInput, 'configSchema'> {
  readonly config?: z.ZodObject
  readonly entry: Entry<WebBackend<never>>
}

export interface HooksDefinition extends Written<HooksManifestInput, 'configSchema'> {
  readonly config?: z.ZodObject
  readonly entry: Entry<Hooks<never>>
}

export interface CommandsDefinition extends Written<CommandsManifestInput, 'configSchema'> {
  readonly config?: z.ZodObject
  readonly entry?: Entry<Commands<never>>
}

/** A folder with a SKILL.md, as a path inside of the plugin. */
export type SkillDefinition = Omit<SkillManifest, 'id'>

/** The source of a plugin's manifest: data, schemas and lazy entries. A build-time input; it is not shipped. */
export interface PluginDefinition
  extends Omit<ManifestInput, 'manifestVersion' | 'version' | 'license' | 'contributes' | 'configSchema' | 'api' | '$schema'> {
  readonly config?: z.ZodObject
  readonly platforms?: { readonly [id: string]: PlatformDefinition }
  readonly providers?: { readonly [id: string]: ProviderDefinition }
  readonly toolsets?: { readonly [id: string]: ToolsetDefinition }
  readonly webBackends?: { readonly [id: string]: WebBackendDefinition }
  readonly hooks?: { readonly [id: string]: HooksDefinition }
  readonly commands?: { readonly [id: string]: CommandsDefinition }
  readonly skills?: { readonly [name: string]: SkillDefinition }
}

/** Declares a plugin; the default export of `src/plugin.ts`. Version and license come from package.json. */
export function definePlugin<const D extends PluginDefinition>(definition: D): D {
  return definition
}

/** The checked configuration of one contribution: `ConfigOf<typeof definition, 'platforms', 'irc'>`. */
export type ConfigOf<
  D extends PluginDefinition,
  Kind extends 'platforms' | 'providers' | 'toolsets' | 'webBackends' | 'hooks' | 'commands',
  Id extends keyof NonNullable<D[Kind]>,
> = NonNullable<D[Kind]>[Id] extends { readonly config: infer Schema extends z.ZodType } ? z.output<Schema> : unknown

/** The checked arguments of one tool: `ArgsOf<typeof definition, 'files', 'read_file'>`. */
export type ArgsOf<
  D extends PluginDefinition,
  Id extends keyof NonNullable<D['toolsets']>,
  Tool extends keyof NonNullable<D['toolsets']>[Id]['tools'],
> = NonNullable<D['toolsets']>[Id]['tools'][Tool] extends { readonly parameters: infer Schema extends z.ZodType } ? z.output<Schema> : never
