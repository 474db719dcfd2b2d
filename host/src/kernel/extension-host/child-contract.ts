import type { CodeKind } from '@agent/plugin-sdk'
import type { ToldRequest } from '../egress/tell-request.ts'

/** One entry that a child is to load. */
export interface LoadSpec {
  /** Under this name it is offered to the host. */
  readonly name: string
  readonly plugin: string
  readonly kind: CodeKind
  /** Absolute. */
  readonly file: string
  /** Said of it in errors: the path in the manifest. */
  readonly entry: string
  /** Counts failed imports: a module that failed stays failed under its own name. */
  readonly attempt: number
  /** Folder of the plugin, by which a fault is attributed to it. */
  readonly root: string
  readonly net: readonly string[] | 'none' | 'any'
}

/** What the host asks of a child beside the contracts of its plugins. */
export interface ChildDoor {
  /** Rejects with PLUGIN_SHAPE, or with what the module threw. */
  load(spec: LoadSpec): Promise<void>
  unload(name: string): Promise<void>
  /** Ends one context: its signal first, then its effects in reverse order. Answers what went wrong meanwhile. */
  end(context: string): Promise<readonly string[]>
  /** Resident memory in bytes; a child that does not answer hangs. */
  ping(): Promise<number>
  /** Calls and streams of the host that still run. */
  busy(): Promise<number>
  /** What keeps the child alive. */
  resources(): Promise<readonly string[]>
}

/** What a child tells the host. */
export interface ParentDoor {
  /** The child goes down; `plugin` is whose code did it, where the stack shows it. */
  blame(plugin: string | null, detail: string): void
  /** An error of one plugin that nobody caught; the child goes on for the others. */
  fault(plugin: string, detail: string): void
  /** A plugin has sent a request. It is no line of the plugin's own, of which so many pass. */
  request(plugin: string, told: ToldRequest): void
}
