import type { Images } from './image.ts'
import type { Accepted, InboundMessage, Press, PressAnswer } from './messages.ts'
import type { SkillSummary } from './skill.ts'
import type { Turns } from './turn.ts'
import type { WebSource } from './web.ts'
import type { Blob, Call, Wire, WireError } from './wire.ts'

/** Notes are void: nothing waits for them. Fields are plain data; secrets are masked by value. */
export interface Log {
  debug(message: string, fields?: { readonly [key: string]: Wire | undefined }): void
  info(message: string, fields?: { readonly [key: string]: Wire | undefined }): void
  warn(message: string, fields?: { readonly [key: string]: Wire | undefined }): void
  error(message: string, fields?: { readonly [key: string]: Wire | undefined }): void
}

/** Time as a parameter, so that tests decide what time it is. Local to the plugin's process. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The variables that the manifest lists under `env`; any other name rejects with PLUGIN_UNDECLARED. */
export interface Secrets {
  /** The value of a variable that the manifest lists under `env`; rejects with ENV_MISSING. */
  get(name: string): Promise<string>
  /** The same for a variable that need not be set: undefined where it is empty or absent. */
  find(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
}

/** Small state that survives restarts; one namespace per plugin. */
export interface State {
  get(key: string): Promise<Wire | undefined>
  set(key: string, value: Wire): Promise<void>
  delete(key: string): Promise<void>
}

/** What comes before the body of a request; the names of headers are in small letters. */
export interface HttpHead {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address of the peer. */
  readonly remote: string
}

/** A plain request: the body as it came, before any parsing. */
export interface HttpRequest extends HttpHead {
  readonly body: Uint8Array
}

/** What a handler answers to a request. */
export interface HttpReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A stream is written as it comes; its pieces are gathered per turn of the event loop. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

/** `call.signal` fires when the client goes away. */
export type HttpHandler = (request: HttpRequest, call: Call) => Promise<HttpReply>

/** Asked before the body is read: a reply refuses the request. Else it is read and handled; headers without a status go with a refusal of its body. */
export type HttpAdmit = (head: HttpHead, call: Call) => Promise<HttpReply | Pick<HttpReply, 'headers'> | undefined>

/** Where a listener listens, and how much it takes. */
export interface ListenOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Nothing proves who asks: refused with BIND_UNSAFE where others than this machine reach the listener. */
  readonly open?: boolean
  /** A larger body is answered 413, unread where the head says its size. */
  readonly maxBodyBytes: number
}

/** What a path of the shared listener puts up with. */
export interface RouteOptions {
  /** How many requests of one address are refused with their own 4xx in a minute; further ones are refused with 429. The default is 120. */
  readonly perMinute?: number
  /** Nothing proves where requests come from: all of them count, and those above `perMinute` do not reach the handler. */
  readonly open?: boolean
  /** A larger body is answered 413. The default, and the most, is 1 MiB. */
  readonly maxBodyBytes?: number
}

/** Ways in for services that call back. */
export interface Http {
  /** A path below the shared callback listener, for platforms that are called back. A path that ends with `/*` takes everything below it. */
  route(path: string, handler: HttpHandler, options?: RouteOptions, admit?: HttpAdmit): Promise<{ readonly url: string }>
  /** A listener of the plugin's own. Needs the host permission `http.listen`. */
  listen(options: ListenOptions, handler: HttpHandler, admit?: HttpAdmit): Promise<{ readonly url: string; readonly port: number }>
}

/** Files that are too large for a value: kept by the host, passed on as a `Blob`. */
export interface Files {
  put(body: AsyncIterable<Uint8Array>, about: { readonly mime: string; readonly name?: string }): Promise<Blob>
  read(blob: Blob): AsyncIterable<Uint8Array>
}

/** What every plugin gets, built from what it declared. Access to anything else throws PLUGIN_UNDECLARED and names the field to add. */
export interface Context<C = unknown> {
  readonly about: { readonly plugin: string; readonly contribution: string; readonly profile: string; readonly agentVersion: string }
  /** Validated against the manifest, defaults filled in. */
  readonly config: C
  readonly log: Log
  readonly clock: Clock
  readonly secrets: Secrets
  readonly state: State
  readonly models: AuxiliaryModels
  /** Fires when the plugin is deactivated. */
  readonly signal: AbortSignal
  /** Local to the plugin's process: a Response never crosses the border. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** Undone in reverse order when the plugin is deactivated. */
  effect(disposer: () => void | Promise<void>): void
}

/** What the host gives to a platform. */
export interface PlatformContext<C = unknown> extends Context<C> {
  /** Messaging doors: resolves after the commit; acknowledge the platform only then. */
  receive(message: InboundMessage): Promise<Accepted>
  /** Hands in a pressed button of ours; resolves with what is shown instead of the buttons. */
  press(press: Press): Promise<PressAnswer>
  /**
   * Somebody asks the bot into a conversation that it is not in; resolves with whether it goes there. `ignore` is everybody who would not be
   * answered there either: the invitation is left as it is. Declared by the capability `invitations`.
   */
  invited(invitation: Omit<Press, 'button'>): Promise<'join' | 'ignore'>
  /** The connection is gone; the gateway reconnects when it is worth trying again. */
  lost(reason: { readonly retryable: boolean; readonly error: WireError }): void
  readonly http: Http
  readonly files: Files
  /** Request doors. Needs the host permission `turns.run`. */
  readonly turns: Turns
}

/** What a plugin gets whose code may start programs. */
export interface ProviderContext<C = unknown> extends Context<C> {
  /** The environment for programs that it starts: the user's own, without secrets. Needs the host permission `environment`. */
  environment(): Promise<Readonly<Record<string, string>>>
}

/** What the host gives to a toolset; the other kinds get a part of it. */
export interface ToolContext<C = unknown> extends ProviderContext<C> {
  /** Tells the people of a conversation what became of something that goes on behind the turns. Needs the host permission `notify`. */
  notify(notice: Notice): void
  /**
   * Tells the notifiers of the same plugin what has happened; resolves once it is on disk, and at once where none of them runs. Its origin is the
   * conversation of `session`, whose id a call has brought; without it there is none. Needs the host permission `notify`.
   */
  raise(event: { readonly name: string; readonly data: Wire; readonly session?: string }): Promise<void>
  /**
   * The token of the login that a person has made with a server of the settings, renewed in time or when one was `refused`; without a token
   * nobody has, or `ended` says why it is worth nothing any more. Needs the host permission `logins`.
   */
  login(wish: {
    readonly server: string
    readonly url: string
    readonly refused?: string
  }): Promise<{ readonly token?: string; readonly ended?: string }>
  /** The sandbox for programs that a tool starts. Needs the host permission `sandbox`. */
  readonly sandbox: CommandSandbox
  /** Instructions that people and plugins keep for the agent. Needs the host permission `skills`. */
  readonly skills: Skills
  /** The web, through the backend that the person chose. A tool whose manifest says `needsWeb` is offered where it can do that. Needs the host permission `web`. */
  readonly web: Required<WebSource> & {
    /**
     * The network addresses that a web address leads to, where the settings for the web let it be asked: who asks it then connects to one of
     * these and looks up nothing. `allowPrivate` allows this machine and its network. Rejects with WEB_ADDRESS_REFUSED.
     */
    resolve(wish: { readonly url: string; readonly allowPrivate: boolean }, call: Call): Promise<readonly string[]>
  }
  /** Pictures. A tool whose manifest says `needsImages` is offered where an image backend or a model can do that. Needs the host permission `images`. */
  readonly images: Images
}

/** Models for tasks beside the conversations. Needs the host permission `models`. */
export interface AuxiliaryModels {
  /**
   * What a model answers to one question: the model that the settings name for the task, else the one of the conversations.
   * Rejects with the error of the model, or NO_PROVIDER.
   */
  ask(
    request: {
      /** Its name below `auxiliary` in the settings. */
      readonly task: string
      readonly system: string
      readonly text: string
      readonly maxOutputTokens?: number
    },
    call: Call,
  ): Promise<string>
}

/** The instructions for kinds of work that the agent has at hand. */
export interface Skills {
  /** Those that are of use here; with `all` the others too, which say what they lack. */
  list(wanted?: { readonly all?: boolean }): Promise<readonly SkillSummary[]>
  /**
   * What the model reads of a skill: its instructions, or one of its other files. In instructions `${AGENT_SKILL_DIR}` stands for the folder of the skill,
   * and `${AGENT_SESSION_ID}` for `session`. Rejects with SKILL_NOT_FOUND and its kin.
   */
  view(wanted: { readonly name: string; readonly file?: string | undefined; readonly session?: string | undefined }): Promise<string>
}

/** The settings of the owner, applied to programs: what they see, where they write, whether they have a network. */
export interface CommandSandbox {
  /** Says how to start a program. Rejects with SANDBOX_MISSING where the owner demands a sandbox that does not work here. */
  prepare(wish: CommandWish): Promise<PreparedCommand>
  /** One sentence about what the sandbox has probably stopped; nothing where it stopped nothing. */
  explain(ended: EndedCommand): Promise<string | undefined>
}

/** A program that a tool wants to start. */
export interface CommandWish {
  /** Programs of one session share a folder /tmp. */
  readonly session: string
  /** Where it starts, and may write. */
  readonly workspace: string
  /** The program and its arguments. */
  readonly argv: readonly string[]
  /** Without the sandbox; a person has agreed, because a guard of the tool asks. */
  readonly outside?: boolean | undefined
}

/** How to start it: this file with these arguments and this environment, and nothing more. */
export interface PreparedCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Whether it runs in a sandbox. */
  readonly contained: boolean
  /**
   * Where it gets its own process table, the pipe on which the sandbox writes `{"child-pid": …}`: a signal to that process group reaches the
   * program, one to the sandbox ends everything in it, once the program has begun.
   */
  readonly infoPipe: number | null
}

/** A program that has ended in the sandbox. */
export interface EndedCommand {
  readonly session: string
  readonly workspace: string
  /** As somebody wrote it. */
  readonly command: string
  readonly output: string
  readonly failed: boolean
}

/** A note of a process in the background; the owner decides which kinds people hear of. */
export interface Notice {
  /** The session of the call that started it. */
  readonly session: string
  readonly kind: 'started' | 'result' | 'error'
  /** Markdown, as the agent writes it. A long text is cut in the middle. */
  readonly text: string
}
