import type { Skills } from './context.ts'
import type { ToolJobs } from './jobs/jobs.ts'
import type { MemoryBlock, MemoryChange } from './memory.ts'
import type { Wire } from './wire.ts'

/**
 * What is shown in a cell or a field: `time` is milliseconds since 1970, `badge` one word that stands out, `link` an http or https address, which is
 * shown by its host and opens beside the dashboard.
 */
export const fieldForms = ['text', 'code', 'number', 'bytes', 'time', 'badge', 'link'] as const
export type FieldForm = (typeof fieldForms)[number]

/** What a panel may ask of the host, beside what every plugin may. */
export interface PanelHost {
  /** Browsers that show a page of the panel ask it again. Needed where something changes by itself; after a method with `changes` they do so anyway. */
  changed(): void
  /** Instructions that people and plugins keep for the agent. Needs the host permission `skills`. */
  readonly skills: Skills
  /** What the program wrote down, secrets masked. Needs the host permission `logs`. */
  readonly logs: {
    /** The last lines, at most 1000. `level`: that one and those above it. */
    read(wanted: {
      readonly name: 'agent' | 'errors' | 'gateway' | 'desktop' | 'gui'
      readonly count: number
      readonly level?: 'debug' | 'info' | 'warn' | 'error' | undefined
    }): Promise<PanelAnswers['log']>
  }
  /** Toolsets of all plugins. Needs the host permission `toolsets`. */
  readonly toolsets: {
    list(): Promise<
      readonly {
        readonly id: string
        readonly description: string
        readonly enabled: boolean
        /** Why it is of no use although it is enabled. */
        readonly problem?: string
        /** What can be done once after its installation. */
        readonly setUp?: string
        readonly tools: readonly { readonly name: string; readonly description: string }[]
      }[]
    >
    /** Turns the plugin of a toolset on or off, and says what that has changed. */
    turn(id: string, to: 'on' | 'off'): Promise<readonly string[]>
    /** Sets a toolset up, in the profile whose page asks, and says what came of it. */
    setUp(id: string): Promise<readonly string[]>
  }
  /** The jobs of everybody in the profile whose page asks. Needs the host permission `jobs`. */
  readonly jobs: ToolJobs & {
    /** What is due until a moment, the nearest first; of many jobs only the next times of each. */
    due(until: number): Promise<readonly { readonly at: number; readonly job: string; readonly name: string }[]>
    /** What was run, the newest first, at most 100 times; of one job where it is named. */
    runs(of: { readonly job?: string | undefined }): Promise<
      readonly {
        readonly at: number
        readonly job: string
        readonly name: string
        /** What became of the run, and of its answer. */
        readonly state: string
        /** The answer, or why there is none. */
        readonly text: string
      }[]
    >
  }
  /** Child agents in the profile whose page asks. Needs the host permission `agents`. */
  readonly agents: {
    /** Those that work now, and those that were stored last, the newest first. */
    list(): Promise<
      readonly {
        readonly session: string
        /** The session of the agent that it works for, and its title. */
        readonly parent: string
        readonly title: string
        readonly task: string
        readonly startedAt: number
        readonly model: string
        /** `works`, or how it ended. */
        readonly state: string
        /** The tool that it called last, and how many it called; of one that works. */
        readonly doing: string
        readonly calls: number
        readonly tokens: number
      }[]
    >
    /** Interrupts one that works. Rejects with DELEGATION_ENDED where it does not. */
    stop(session: string): Promise<void>
  }
  /** States of folders from before the agent changed files, in the profile whose page asks. Needs the host permission `checkpoints`. */
  readonly checkpoints: {
    /** Those of every folder, the newest first, whether more are made, and what all of them take on the disk. */
    list(): Promise<{
      readonly enabled: boolean
      readonly bytes: number
      readonly checkpoints: readonly {
        readonly folder: string
        /** Tells it apart from others of its folder. */
        readonly number: number
        readonly at: number
        /** What came after it. */
        readonly kind: 'turn' | 'rollback'
        /** Empty where none is known. */
        readonly session: string
        readonly title: string
        /** How many files that changed; null while it goes on, and where it was cut off. */
        readonly changed: number | null
      }[]
    }>
    /** How many files differ now, how many of those going back would take from whom edited them by hand, and the first 500, such files first. */
    compare(of: { readonly folder: string; readonly number: number }): Promise<{
      readonly total: number
      readonly edited: number
      readonly files: readonly {
        readonly path: string
        readonly since: 'made' | 'deleted' | 'changed'
        /** What going back does to it. */
        readonly rollback: 'restore' | 'delete' | 'leave'
        readonly edited: boolean
      }[]
    }>
    /** What has changed since, as a patch; of one file where it is named. */
    diff(of: { readonly folder: string; readonly number: number; readonly path?: string | undefined }): Promise<string>
    /**
     * Goes back, with one file or with all, and says which checkpoint takes that back. Rejects with CHECKPOINT_EDITED where that would take what
     * somebody edited by hand, unless `edited` agrees to it.
     */
    restore(wish: {
      readonly folder: string
      readonly number: number
      readonly path?: string | undefined
      readonly edited?: boolean | undefined
    }): Promise<{ readonly restored: number; readonly removed: number; readonly left: readonly string[]; readonly undo?: number }>
    /** Forgets what is too old or too much, and tells how many went. */
    prune(): Promise<number>
  }
  /** Skills of others, in the profile whose page asks: they bring instructions and scripts to the agent. Needs the host permission `skills.install`. */
  readonly skillHub: {
    /** What was installed from a source, and what the scanner says of it as it is now. */
    installed(): Promise<
      readonly {
        readonly name: string
        readonly source: string
        /** Commit, version or address. */
        readonly resolved: string
        readonly installedAt: number
        readonly state: 'unchanged' | 'edited' | 'missing'
        readonly verdict: 'safe' | 'caution' | 'dangerous' | 'broken'
        readonly findings: readonly string[]
      }[]
    >
    /** Fetches the skills of a source and looks at them; nothing is changed. */
    inspect(wanted: { readonly source: string; readonly skill?: string | undefined }): Promise<
      readonly {
        readonly name: string
        /** Of its files. */
        readonly hash: string
        readonly resolved: string
        readonly verdict: 'safe' | 'caution' | 'dangerous' | 'broken'
        /** A sentence each. */
        readonly findings: readonly string[]
        readonly description: string
        readonly files: readonly string[]
      }[]
    >
    /** Compares what is installed with what its sources have now; one of them where it is named. */
    check(wanted: { readonly skill?: string | undefined }): Promise<
      readonly {
        readonly name: string
        readonly state: 'current' | 'newer' | 'edited' | 'missing' | 'gone' | 'unreachable'
        readonly problem?: string
      }[]
    >
    /**
     * Installs a skill, or updates it, where its source still has the files that `inspect` has shown and a person has agreed to. What is dangerous,
     * and what a person has edited, is refused all the same.
     */
    install(wish: { readonly source: string; readonly skill: string; readonly hash: string }): Promise<'installed' | 'updated' | 'same'>
    /** Deletes an installed skill; one that a person has edited only where `edited` agrees to it. */
    remove(wish: { readonly skill: string; readonly edited?: boolean | undefined }): Promise<void>
  }
  /** Changes of skills that the agent wants to make, of everybody in the profile whose page asks. Needs the host permission `skills.approve`. */
  readonly skillProposals: {
    /** The oldest first; `for` says who asked, and `change` what it is, in one line. */
    list(): Promise<readonly { readonly id: string; readonly at: number; readonly for: string; readonly change: string }[]>
    /** What it would make different, as patches. */
    diff(of: { readonly id: string }): Promise<string>
    /** Makes the change or drops it, and says which it was. Rejects with SKILL_UNCHANGED where the skill is not as it was. */
    decide(wish: { readonly id: string; readonly to: 'approve' | 'reject' }): Promise<string>
  }
  /** What the agent remembers of the owner of the profile whose page asks. Needs the host permission `memory`. */
  readonly memory: {
    /** Empty where nothing may be remembered. */
    blocks(): Promise<readonly MemoryBlock[]>
    /** Makes a change in the owner's name, who has agreed to it. Rejects with MEMORY_UNCHANGED or MEMORY_FULL. */
    change(change: MemoryChange): Promise<void>
  }
  /** Changes of the memory that wait, of everybody in the profile whose page asks. Needs the host permission `memory.approve`. */
  readonly memoryProposals: {
    /** The oldest first; `for` says whose memory it is, and `change` what it is, in one line. */
    list(): Promise<readonly { readonly id: string; readonly at: number; readonly for: string; readonly change: string }[]>
    /** Makes the change or drops it, and says which it was. Rejects with MEMORY_UNCHANGED where the entry is not as it was. */
    decide(wish: { readonly id: string; readonly to: 'approve' | 'reject' }): Promise<string>
  }
  /** How much of a model's window conversations take, in tokens, of everybody in the profile whose page asks. Needs the host permission `conversations`. */
  readonly conversations: {
    /** Those that were used last, at most 100. */
    list(): Promise<
      readonly {
        readonly session: string
        readonly title: string
        /** The door or the platform. */
        readonly source: string
        readonly lastAt: number
        /** As for one that is looked at. */
        readonly tokens?: number
        readonly window?: number
        readonly limit?: number
        /** How often it was made shorter. */
        readonly compressions: number
      }[]
    >
    /** What the next request of one is made of, by estimate. Rejects with SESSION_NOT_FOUND. */
    look(of: { readonly session: string }): Promise<{
      readonly title: string
      /** What the last request and its answer took; absent where nobody knows. */
      readonly tokens?: number
      /** What the model takes that answers now; absent where none does. */
      readonly window?: number
      /** From how many on it is made shorter; absent where it never is. */
      readonly limit?: number
      readonly messages: number
      /** What is said to the model before the conversation, byte for byte. */
      readonly prompt: string
      readonly parts: readonly { readonly name: 'prompt' | 'tools' | 'notes' | 'messages'; readonly tokens: number }[]
      /** What stands in for its older part; empty where it was never made shorter. */
      readonly notes: string
      /** Each time that it was made shorter, the oldest first. */
      readonly compressions: readonly {
        readonly at: number
        readonly reason: 'threshold' | 'overflow' | 'asked'
        readonly before: number
        readonly after: number
      }[]
    }>
    /** Makes one shorter, and says what came of it. Rejects with SESSION_WAITING while it is answered. */
    compress(wish: { readonly session: string; readonly keep?: string | undefined }): Promise<string>
  }
  /**
   * MCP servers of the profile whose page asks. A server is a program that runs here, or an address that gets what the agent says. What changes
   * something says what became of it, a sentence each. Needs the host permission `mcp`.
   */
  readonly mcp: {
    /** Those of the settings; nothing is started, and no value of a variable or a header is told. */
    list(): Promise<
      readonly {
        readonly name: string
        readonly transport: 'stdio' | 'http' | 'sse'
        readonly command?: string
        readonly args?: readonly string[]
        readonly url?: string
        /** Names of the variables and headers that it gets. */
        readonly env: readonly string[]
        readonly headers: readonly string[]
        readonly enabled: boolean
        readonly trust: 'full' | 'hints' | 'untrusted' | 'ask'
        /** What is wrong with its settings, a sentence. */
        readonly problem?: string
        /** How it stands with the login; of one with an address. */
        readonly login?: {
          /** `renews`: the token is over, and is renewed when it is used. */
          readonly state: 'none' | 'good' | 'renews' | 'ended'
          /** Until when it is good, or why it has ended; empty where there is none. */
          readonly detail: string
          /** It belongs to the home around the profile, and can be forgotten there alone. */
          readonly inherited: boolean
          /** One that was begun here: until that moment a person logs in at the address. */
          readonly waits?: { readonly id: string; readonly address: string; readonly until: number }
          /** How the last one that was begun here ended, a sentence. */
          readonly said?: string
        }
      }[]
    >
    /** Begins a login in place of one that waits. It goes on by itself; when it ends, browsers that show a page of the panel ask it again. */
    login(wish: { readonly name: string }): Promise<{ readonly id: string; readonly address: string; readonly until: number }>
    /** Hands in the address that the browser ended at, and says what came of the login. What is no answer to it is refused, and the login waits on. */
    answer(wish: { readonly id: string; readonly pasted: string }): Promise<readonly string[]>
    /** Gives up a login that was begun here. */
    cancel(wish: { readonly id: string }): Promise<readonly string[]>
    /** Forgets the login with a server. */
    logout(wish: { readonly name: string }): Promise<readonly string[]>
    /** Those that can be had by their names. */
    catalog(): Promise<
      readonly {
        readonly name: string
        readonly description: string
        readonly docsUrl: string
        /** Variables that it needs. */
        readonly env: readonly { readonly name: string; readonly prompt: string }[]
        /** Words that stand behind its command, and what they are; empty: none. */
        readonly words: string
        readonly installed: boolean
      }[]
    >
    /** Makes a server of the catalog one of the settings; its secrets go to `.env`. */
    install(wish: {
      readonly name: string
      readonly env: Readonly<Record<string, string>>
      readonly words: readonly string[]
    }): Promise<readonly string[]>
    /** Writes down a server with a command or an address. */
    add(wish: {
      readonly name: string
      readonly command?: string | undefined
      readonly args?: readonly string[] | undefined
      readonly url?: string | undefined
      readonly env?: Readonly<Record<string, string>> | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly trust?: 'full' | 'hints' | 'untrusted' | 'ask' | undefined
    }): Promise<readonly string[]>
    turn(wish: { readonly name: string; readonly to: 'on' | 'off' }): Promise<readonly string[]>
    remove(wish: { readonly name: string }): Promise<readonly string[]>
    /** Starts it with the settings and variables of the profile, and asks for its tools. */
    test(wish: { readonly name: string }): Promise<{ readonly ok: boolean; readonly said: readonly string[] }>
  }
}

/** One record of a list, by the names of its fields. */
export type PanelRecord = { readonly [key: string]: Wire | undefined }

/** What a method answers to each kind of block, and to what somebody did. */
export interface PanelAnswers {
  readonly table: { readonly rows: readonly PanelRecord[] }
  readonly detail: { readonly item: PanelRecord }
  /** What stands in the fields before somebody types. */
  readonly form: { readonly values: PanelRecord }
  readonly markdown: { readonly text: string }
  readonly chart: { readonly points: readonly { readonly name: string; readonly value: number }[] }
  /** The oldest line first; `at` is absent where nothing says when it was. */
  readonly log: { readonly lines: readonly { readonly at?: number; readonly level: string; readonly text: string }[] }
  readonly calendar: { readonly events: readonly { readonly at: number; readonly title: string; readonly detail?: string }[] }
  /** What was done, in a sentence; nothing is said where it is empty. */
  readonly action: { readonly said?: string }
}

/** What a method of a panel may answer, for whichever block draws it. */
export type PanelAnswer = PanelAnswers[keyof PanelAnswers]

type AnyRecord = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is AnyRecord => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15
const isText = (value: unknown): value is string => typeof value === 'string'

/** The most items of a list: more are not drawn, and a method answers with those that matter. */
const mostItems = 1000

type Find = (answer: AnyRecord) => string | undefined

const list =
  (key: string, form: string, fits: (item: AnyRecord) => boolean): Find =>
  ({ [key]: items }) => {
    if (!Array.isArray(items)) return `it has no list ${key}`
    if (items.length > mostItems) return `${key} has ${items.length} items, and at most ${mostItems} are shown`
    const at = items.findIndex((item) => !isRecord(item) || !fits(item))
    return at === -1 ? undefined : `${key}[${at}] is not ${form}`
  }

const finders: { readonly [Type in keyof PanelAnswers]: Find } = {
  table: list('rows', 'an object', () => true),
  chart: list('points', '{ name, value }', ({ name, value }) => isText(name) && Number.isFinite(value)),
  log: list('lines', '{ at?, level, text }', ({ at, level, text }) => (at === undefined || isTime(at)) && isText(level) && isText(text)),
  calendar: list(
    'events',
    '{ at, title }',
    ({ at, title, detail }) => isTime(at) && isText(title) && (detail === undefined || isText(detail)),
  ),
  detail: ({ item }) => (isRecord(item) ? undefined : 'it has no object item'),
  form: ({ values }) => (isRecord(values) ? undefined : 'it has no object values'),
  markdown: ({ text }) => (isText(text) ? undefined : 'it has no text'),
  action: ({ said }) => (said === undefined || isText(said) ? undefined : 'said is no text'),
}

/** Why an answer cannot be drawn as this kind of block; undefined where it can. */
export function findAnswerMisfit(type: keyof PanelAnswers, answer: unknown): string | undefined {
  return isRecord(answer) ? finders[type](answer) : 'it is no object'
}
