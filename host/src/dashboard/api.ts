/**
 * What the dashboard's REST answers, family by family. Types alone: the routes are checked against them and the browser imports them.
 * Every family but `status` and `auth` takes `profile` (query, or body, which wins); an unknown one is 404. Errors are `ApiError`.
 * Times are milliseconds since 1970.
 */
import type { PanelManifest, Wire } from '@agent/plugin-sdk'

/** The body of every answer with a status of 400 and above. */
export interface ApiError {
  readonly error: {
    readonly code: string
    readonly message: string
    /** Where a field of a form is at fault: its dotted path and what is wrong with it. */
    readonly fields?: Readonly<Record<string, string>>
  }
}

export type JsonSchema = { readonly [key: string]: Wire | undefined }

/** GET /api/status: public, so it names neither people nor texts. */
export interface Status {
  readonly version: string
  readonly profile: string
  readonly profiles: readonly string[]
  readonly authRequired: boolean
  readonly gateway: { readonly running: boolean; readonly pid?: number }
  readonly platforms: readonly PlatformState[]
  readonly queues: Queue & { readonly platforms: readonly (Queue & { readonly platform: string })[] }
  readonly sandbox: string
  /** `light`, `dark` or `system`: display.theme_mode. */
  readonly theme: 'light' | 'dark' | 'system'
}

/** Messages without an answer yet, parts of answers that are not sent yet, and those of which nobody knows whether they arrived. */
interface Queue {
  readonly waiting: number
  readonly sending: number
  readonly unknown: number
}

export interface PlatformState {
  readonly platform: string
  /** `starting`, `connected`, `degraded`, `retrying`, `fatal`, `paused`, `disconnected`, `stopped`: as `agent gateway status --json` has it. */
  readonly state: string
  readonly needsAttention: boolean
  /** What went wrong and what to do next, in one sentence. */
  readonly problem?: string
}

/** GET /api/setup */
export interface Setup {
  /** Something that can answer is configured, an indirect credential included. */
  readonly configured: boolean
  readonly provider?: string
  readonly model?: string
  /** The offline model stands in because nothing is configured. */
  readonly offline: boolean
}

/** One variable that a manifest or the program declares. */
export interface Variable {
  readonly name: string
  readonly secret: boolean
  readonly required: boolean
  readonly prompt: string
  readonly url?: string
  readonly set: boolean
  /** Where the value in force comes from. */
  readonly source?: 'environment' | 'file'
  /** The process environment hides the value of the file. */
  readonly shadowed: boolean
  /** The value, of what is no secret. */
  readonly value?: string
  /** Plugins that read it; empty: the program itself. */
  readonly usedBy: readonly string[]
}

/** GET /api/env; PUT {name, value}; DELETE {name}; POST /api/env/reveal {name} answers {value}. */
export interface EnvList {
  readonly variables: readonly Variable[]
  readonly file: string
}

/** GET /api/messaging/platforms */
export interface PlatformList {
  readonly platforms: readonly Platform[]
}

export interface Platform extends PlatformState {
  readonly name: string
  readonly description: string
  readonly docsUrl?: string
  readonly plugin: string
  readonly bundled: boolean
  /** What `platforms.<id>.enabled` says; absent: nothing, so it runs where its variables are set. */
  readonly enabled?: boolean
  /** Everything that it needs is set. */
  readonly configured: boolean
  readonly env: readonly Variable[]
  /** Of `platforms.<id>.extra`. */
  readonly schema: JsonSchema
  readonly extra: { readonly [key: string]: Wire | undefined }
  /** What its people have to know, in Markdown: who may write, how they are let in. */
  readonly guidance: string
}

/** PUT /api/messaging/platforms/{id}; nothing is written where anything is at fault. POST {id}/pause and {id}/resume answer `Changed` once it is so. */
export interface PlatformChange {
  readonly enabled?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly clear_env?: readonly string[]
  readonly extra?: { readonly [key: string]: Wire | undefined }
}

/** The answer of every change of settings. */
export interface Changed {
  /** What changed, a sentence each. */
  readonly said: readonly string[]
  /** The gateway has taken it over; false: it does so at its next start. */
  readonly live: boolean
}

/** POST /api/messaging/platforms/{id}/test and POST /api/model/test */
export interface Tried {
  readonly ok: boolean
  /** As whom it is connected, or what the model said. */
  readonly detail: string
}

/** GET /api/config */
export interface ConfigValues {
  readonly values: { readonly [key: string]: Wire | undefined }
  readonly defaults: { readonly [key: string]: Wire | undefined }
  /** Keys whose value comes from a variable, with its name. */
  readonly shadowed: Readonly<Record<string, string>>
  readonly schema: JsonSchema
}

/** PUT /api/config; null takes a key out, so that its default holds. */
export interface ConfigChange {
  readonly changes: { readonly [dottedKey: string]: Wire }
}

/** GET and PUT /api/config/raw; a text at fault is answered 422 with the marks and is not written. */
export interface RawConfig {
  readonly text: string
  /** Sha-256 of the text that was read; a PUT that brings another one is 409. */
  readonly revision: string
  readonly marks: readonly { readonly line: number; readonly key: string; readonly problem: string; readonly level: 'error' | 'warning' }[]
}

/** GET /api/model/info */
export interface ModelInfo {
  readonly provider?: string
  readonly model?: string
  readonly offline: boolean
  readonly problem?: string
}

/** GET /api/model/options */
export interface ModelOptions {
  readonly providers: readonly ModelProvider[]
}

export interface ModelProvider {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly docsUrl?: string
  readonly defaultModel?: string
  /** It can be asked now. */
  readonly ready: boolean
  readonly current: boolean
  /** What is missing, a sentence; absent where it is ready. */
  readonly needs?: string
  readonly env: readonly Variable[]
  /** Ids that are known without asking the provider. */
  readonly models: readonly string[]
}

/** GET /api/model/auxiliary: which model does what is done beside the conversations. */
export interface AuxiliaryList {
  readonly tasks: readonly {
    /** Its name below `auxiliary` of the settings. */
    readonly task: string
    /** The settings name a model for it; else it is the one of the conversation. */
    readonly pinned: boolean
    /** What is asked first; absent where nothing would be. */
    readonly provider?: string
    readonly model?: string
    readonly baseUrl?: string
    /** Why it cannot be asked, a sentence. */
    readonly problem?: string
  }[]
}

/** POST /api/model/set {provider, model, confirm?}. */
export interface ModelSet extends Changed {
  /** The model is dear: nothing was written; the same request with `confirm: true` writes it. */
  readonly warning?: string
}

/** GET /api/sessions?limit&offset&source, GET /api/sessions/search?q */
export interface SessionList {
  readonly sessions: readonly Session[]
  readonly more: boolean
}

export interface Session {
  readonly id: string
  readonly title?: string
  readonly source: string
  readonly model: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly messages: number
  readonly preview: string
}

/** GET /api/sessions/{id}/messages */
export interface SessionMessages {
  readonly session: Session
  readonly messages: readonly ShownMessage[]
}

export type ShownMessage =
  | { readonly role: 'user'; readonly text: string; readonly at: number }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly reasoning?: string
      readonly tools: readonly ShownTool[]
      readonly at: number
    }

export interface ShownTool {
  readonly id: string
  readonly name: string
  readonly args: Wire
  readonly ok?: boolean
  readonly text?: string
}

/** GET /api/analytics/usage?days=30 */
export interface UsageReport {
  readonly days: readonly UsageRow[]
  readonly models: readonly UsageRow[]
  readonly sources: readonly UsageRow[]
  readonly budgets: readonly { readonly name: string; readonly used: number; readonly limit: number; readonly unit: string }[]
}

export interface UsageRow {
  readonly key: string
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly cached: number
  /** US dollars; absent where no price is known. */
  readonly cost?: number
}

/** GET /api/logs?file=agent|errors|gateway&lines=200&level= */
export interface LogLines {
  readonly file: string
  readonly lines: readonly { readonly at: string; readonly level: string; readonly text: string }[]
}

/** GET /api/pairing; POST approve {platform, code}, revoke {platform, user}. */
export interface Pairing {
  readonly pending: readonly { readonly platform: string; readonly user: string; readonly name: string; readonly since: number }[]
  readonly allowed: readonly { readonly platform: string; readonly user: string; readonly name: string; readonly role: string }[]
}

/** GET /api/plugins; PUT /api/plugins/{id}/enabled {enabled}. */
export interface PluginList {
  readonly plugins: readonly PluginRow[]
}

export interface PluginRow {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly version: string
  readonly bundled: boolean
  readonly enabled: boolean
  readonly state: string
  readonly reason?: string
  readonly contributes: readonly { readonly kind: string; readonly id: string; readonly name: string }[]
  readonly permissions: readonly string[]
  readonly medal?: string
}

/** GET /api/plugins/{id}/why */
export interface PluginWhy {
  readonly lines: readonly string[]
}

export interface PackageRow {
  readonly name: string
  readonly version: string
  readonly description: string
  /** As the check of its author computed it. */
  readonly medal?: string
  /** Why it would not run here, in words that follow its name. */
  readonly misfit?: string
}

/** GET /api/plugins/search?q: what the registry has. */
export interface PackageList {
  readonly packages: readonly PackageRow[]
  /** Why the registry could not be asked. */
  readonly problem?: string
}

/**
 * POST /api/plugins/offer {spec}: what the package declares, before anything is installed. POST /api/plugins/install {spec, accept} agrees to it and
 * begins the action `plugin-install`; POST /api/plugins/{id}/update|rollback|remove begin `plugin-update` and so on.
 */
export interface PluginOffer {
  readonly consent?: { readonly plugin: string; readonly version: string; readonly hash: string; readonly text: string }
  /** Why it cannot be installed. Neither this nor a consent: what it declares was agreed to before, and it is installed. */
  readonly problem?: string
}

/** GET /api/panels: pages of plugins. What they show is asked by `panel.run` at /api/ws. */
export interface PanelList {
  readonly panels: readonly PanelShown[]
}

export interface PanelShown {
  readonly id: string
  readonly name: string
  readonly plugin: string
  readonly group: PanelManifest['group']
  readonly pages: PanelManifest['pages']
  /** What is filled in for a method, by its name. */
  readonly inputs: Readonly<Record<string, JsonSchema>>
}

/** GET /api/skills */
export interface SkillList {
  readonly skills: readonly { readonly name: string; readonly description: string; readonly from: string; readonly offered: boolean }[]
}

/** GET /api/tools/toolsets; PUT {id, enabled}; POST …/set-up {id}: an action, in the profile. */
export interface ToolsetList {
  readonly toolsets: readonly {
    readonly id: string
    readonly description: string
    readonly enabled: boolean
    readonly problem?: string
    readonly setUp?: string
    readonly tools: readonly { readonly name: string; readonly description: string }[]
  }[]
}

/** GET /api/profiles; POST {name}; DELETE {name}. */
export interface ProfileList {
  readonly profiles: readonly { readonly name: string; readonly home: string; readonly current: boolean; readonly running: boolean }[]
}

/** GET /api/agent/update: what is known without asking a server. POST /api/agent/update/check asks one, POST /api/agent/update updates: actions. */
export interface UpdateState {
  /** Of the program that serves this page. */
  readonly version: string
  /** Of the files on the disk, which run from the next start. */
  readonly installed: string
  /** How the program is updated by hand, in sentences; absent where it updates itself. */
  readonly otherwise?: string
  /** updates.pre_update_backup */
  readonly backup: 'quick' | 'full' | 'off'
  /** updates.non_interactive_local_changes */
  readonly localChanges: 'stash' | 'discard'
  /** POST /api/dashboard/restart is there: something brings the dashboard back. */
  readonly mayRestart: boolean
}

/** POST /api/gateway/start|stop|restart; GET /api/actions/{name}/status. A second request of the same kind joins the one under way. */
export interface Action {
  readonly name: string
  readonly state: 'running' | 'done' | 'failed'
  readonly startedAt: number
  readonly endedAt?: number
  /** The last lines that it printed. */
  readonly tail: readonly string[]
  /** It has ended because nobody has agreed to what is declared: the same action with this as `accept` goes on. */
  readonly wantsAccept?: string
}
