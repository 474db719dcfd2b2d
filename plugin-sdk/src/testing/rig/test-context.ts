import type { AuxiliaryModels, Context, HttpAdmit, HttpHandler, Notice, PlatformContext, ToolContext } from '../../contract/context.ts'
import { type AgentError, fail, fromWireError } from '../../contract/errors.ts'
import type { Images } from '../../contract/image.ts'
import type { Accepted, InboundMessage, Press, PressAnswer } from '../../contract/messages.ts'
import type { PanelHost } from '../../contract/panel.ts'
import type { TurnEvent, TurnRequest } from '../../contract/turn.ts'
import type { Blob, Call, Wire } from '../../contract/wire.ts'
import type { Manifest } from '../../kinds/manifest.ts'
import { createFakeIds } from './fake-ids.ts'
import { openTestListener, readHead, readRequest, type TestListener, writeReply } from './http-exchange.ts'
import { createSystemClock } from './system-clock.ts'
import { createTestFetch } from './test-fetch.ts'
import { createPanelVerbs } from './test-panel-verbs.ts'
import { createSources } from './test-sources.ts'

type Raised = Parameters<ToolContext['raise']>[0]

/** What the host in small stands for. */
export interface TestContextOptions {
  readonly manifest: Manifest
  readonly contribution: string
  readonly config: unknown
  readonly secrets?: Readonly<Record<string, string>>
  /** What a turn says; the default greets. The last event has to be `message.complete`. */
  readonly turn?: (request: TurnRequest, call: Call) => AsyncIterable<TurnEvent>
  /** The web of `context.web`; what is not given answers that nothing can do it. */
  readonly web?: Partial<ToolContext['web']>
  /** The pictures of `context.images`; without them nothing can be painted or looked at. */
  readonly images?: Images
  /** The models of `context.models`; without them none can be asked. */
  readonly models?: AuxiliaryModels
  /** Is told the address of every route and listener. */
  readonly onListen?: (url: string) => void
}

/** A host in small, and what a plugin has done with it. */
export interface TestContext {
  readonly context: PlatformContext & ToolContext & PanelHost
  /** Log lines as JSON. */
  readonly lines: readonly string[]
  readonly received: readonly InboundMessage[]
  readonly pressed: readonly Press[]
  readonly invitations: readonly Omit<Press, 'button'>[]
  readonly lost: readonly AgentError[]
  /** Whether each of them was said to be worth another try. */
  readonly retryable: readonly boolean[]
  readonly turns: readonly TurnRequest[]
  readonly notices: readonly Notice[]
  /** Events for notifiers of the same plugin. */
  readonly raised: readonly Raised[]
  /** Where the plugin listens, in the order in which it asked. */
  readonly urls: readonly string[]
  /** What the next `receive` answers; `accepted` where nothing is said. */
  answerReceive(...answers: readonly Accepted[]): void
  /** What the next `press` answers; `taken` where nothing is said. */
  answerPress(...answers: readonly PressAnswer[]): void
  /** What the next `invited` answers; `ignore` where nothing is said. */
  answerInvitation(...answers: readonly ('join' | 'ignore')[]): void
  /** Keeps bytes as the host does, for a message that is sent with them. */
  putFile(bytes: Uint8Array, about: { readonly mime: string; readonly name?: string }): Promise<Blob>
  /** Undoes the effects of the plugin, the last one first. */
  close(): Promise<void>
}

/** A host in small: it keeps what a plugin hands in and allows what the manifest declares. */
export function openTestContext(options: TestContextOptions): TestContext {
  const { manifest, contribution, config, secrets = {}, turn = greet, web, images, models, onListen = () => undefined } = options
  const controller = new AbortController()
  const lines: string[] = []
  const received: InboundMessage[] = []
  const losses = createLosses()
  const turns: TurnRequest[] = []
  const told: { readonly notices: Notice[]; readonly raised: Raised[] } = { notices: [], raised: [] }
  const answers: Accepted[] = []
  const presses = createAnswering<Press, PressAnswer>({ status: 'taken', text: 'Noted.' })
  const invitations = createAnswering<Omit<Press, 'button'>, 'join' | 'ignore'>('ignore')
  const effects: (() => void | Promise<void>)[] = []
  const files = createFiles()
  const listeners = openListeners()
  const declared = manifest.permissions.host?.value ?? []
  const need = (verb: (typeof declared)[number]): void => {
    if (!declared.includes(verb)) {
      throw fail('PLUGIN_UNDECLARED', { plugin: manifest.id, access: verb, field: `permissions.host: ["${verb}"]` })
    }
  }
  const clock = createSystemClock()
  const context: TestContext['context'] = {
    about: { plugin: manifest.id, contribution, profile: 'default', agentVersion: '0.0.0' },
    config,
    clock,
    signal: controller.signal,
    log: createLog(lines),
    secrets: createSecrets(manifest, { ...secrets }),
    state: createState(),
    fetch: createTestFetch(manifest),
    effect: (disposer) => void effects.unshift(disposer),
    receive: async (message) => {
      received.push(message)
      return answers.shift() ?? { status: 'accepted' }
    },
    press: presses.take,
    invited: invitations.take,
    lost: losses.take,
    http: createHttp(listeners, () => need('http.listen'), onListen),
    files,
    turns: createTurns(turn, (request) => {
      need('turns.run')
      turns.push(request)
    }),
    ...{ ...createToolVerbs(need, { ...told, manifest }), ...createSources(need, { web, images, models }), ...createPanelVerbs(need) },
  }
  const close = async (): Promise<void> => {
    controller.abort()
    for (const undo of effects.splice(0)) await undo()
    await listeners.close()
  }
  return {
    context,
    lines,
    received,
    pressed: presses.heard,
    invitations: invitations.heard,
    ...{ lost: losses.lost, retryable: losses.retryable },
    turns,
    ...told,
    urls: listeners.urls,
    answerReceive: (...next) => void answers.push(...next),
    answerPress: presses.answer,
    answerInvitation: invitations.answer,
    putFile: (bytes, about) => files.put(onceOver(bytes), about),
    close,
  }
}

function createLosses(): Pick<TestContext, 'lost' | 'retryable'> & { readonly take: PlatformContext['lost'] } {
  const lost: AgentError[] = []
  const retryable: boolean[] = []
  const take: PlatformContext['lost'] = (reason) => {
    lost.push(fromWireError(reason.error))
    retryable.push(reason.retryable)
  }
  return { lost, retryable, take }
}

/** Keeps what is handed in, and answers what a test says. */
function createAnswering<T, Answer>(
  usual: Answer,
): {
  readonly heard: readonly T[]
  readonly take: (one: T) => Promise<Answer>
  readonly answer: (...next: readonly Answer[]) => void
} {
  const heard: T[] = []
  const answers: Answer[] = []
  return {
    heard,
    take: async (one) => {
      heard.push(one)
      return answers.shift() ?? usual
    },
    answer: (...next) => void answers.push(...next),
  }
}

function createToolVerbs(
  need: (verb: 'environment' | 'notify' | 'logins' | 'sandbox' | 'skills') => void,
  { manifest, notices, raised }: { readonly manifest: Manifest; readonly notices: Notice[]; readonly raised: Raised[] },
): Pick<ToolContext, 'environment' | 'notify' | 'raise' | 'login' | 'sandbox' | 'skills'> {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent' }
  return {
    sandbox: {
      prepare: async ({ argv: [file = '', ...args] }) => {
        need('sandbox')
        return { file, args, environment, contained: false, infoPipe: null }
      },
      explain: async () => {
        need('sandbox')
        return undefined
      },
    },
    skills: {
      list: async ({ all } = {}) => {
        need('skills')
        const greeting = { name: 'greeting', description: 'How to greet.' }
        if (all !== true) return [greeting]
        return [greeting, { name: 'curtsy', description: 'How to bow.', plugin: 'manners', lacks: 'is for another system' }]
      },
      view: async ({ name, file }) => {
        need('skills')
        if (name !== 'greeting') throw fail('SKILL_NOT_FOUND', { skill: name, nearest: 'greeting' })
        if (file !== undefined) throw fail('SKILL_FILE', { skill: name, file, problem: 'is not there' })
        return greeting
      },
    },
    environment: async () => {
      need('environment')
      return environment
    },
    login: async () => {
      need('logins')
      return {}
    },
    notify: (notice) => {
      need('notify')
      notices.push(notice)
    },
    raise: async (event) => {
      need('notify')
      if (!manifest.contributes.notifiers.some(({ events }) => events.includes(event.name)))
        throw fail('PLUGIN_UNDECLARED', {
          ...{ plugin: manifest.id, access: `the event ${event.name}`, field: `events of a notifier: ["${event.name}"]` },
        })
      raised.push(event)
    },
  }
}

function createTurns(turn: NonNullable<TestContextOptions['turn']>, onRun: (request: TurnRequest) => void): PlatformContext['turns'] {
  return {
    run: async function* (request, call) {
      onRun(request)
      yield* turn(request, call)
    },
    answer: async () => false,
  }
}

function createLog(lines: string[]): Context['log'] {
  const write =
    (level: string) =>
    (message: string, fields: { readonly [key: string]: Wire | undefined } = {}): void => {
      lines.push(JSON.stringify({ level, message, ...fields }))
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function createSecrets(manifest: Manifest, values: Record<string, string>): Context['secrets'] {
  const names = new Set([...manifest.env.map((variable) => variable.name), ...manifest.contributes.providers.flatMap((one) => one.keyEnv)])
  const declared = (name: string): void => {
    if (!names.has(name)) throw fail('PLUGIN_UNDECLARED', { plugin: manifest.id, access: `the secret ${name}`, field: `env: ${name}` })
  }
  return {
    get: async (name) => {
      declared(name)
      const value = values[name]
      if (value === undefined) throw fail('ENV_MISSING', { name, file: '.env' })
      return value
    },
    find: async (name) => {
      declared(name)
      return values[name] || undefined
    },
    set: async (name, value) => {
      declared(name)
      values[name] = value
    },
  }
}

function createState(): Context['state'] {
  const values = new Map<string, Wire>()
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  }
}

function createFiles(): PlatformContext['files'] {
  const files = new Map<string, readonly Uint8Array[]>()
  const nextId = createFakeIds()
  return {
    put: async (body, { mime, name }) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of body) chunks.push(chunk)
      const blob: Blob = {
        blob: nextId('blob'),
        mime,
        bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
        ...(name ? { name } : {}),
      }
      files.set(blob.blob, chunks)
      return blob
    },
    read: async function* (blob) {
      yield* files.get(blob.blob) ?? []
    },
  }
}

function createHttp(
  listeners: ReturnType<typeof openListeners>,
  needListen: () => void,
  onListen: (url: string) => void,
): PlatformContext['http'] {
  return {
    route: async (path, handler, { maxBodyBytes = 1 << 20 } = {}, admit = undefined) => {
      const listener = await listeners.open({ maxBodyBytes, admit }, handler)
      const url = listener.url + path.replace(/\/\*$/, '')
      onListen(url)
      return { url }
    },
    listen: async ({ host, port, maxBodyBytes }, handler, admit) => {
      needListen()
      const { url, port: taken } = await listeners.open({ host, port, maxBodyBytes, admit }, handler)
      onListen(url)
      return { url, port: taken }
    },
  }
}

async function* onceOver(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

interface OpenOptions {
  readonly host?: string
  readonly port?: number
  readonly maxBodyBytes: number
  readonly admit: HttpAdmit | undefined
}

function openListeners(): {
  readonly urls: readonly string[]
  open(options: OpenOptions, handler: HttpHandler): Promise<TestListener>
  close(): Promise<void>
} {
  const open: TestListener[] = []
  const urls: string[] = []
  return {
    urls,
    open: async ({ host = '127.0.0.1', port = 0, maxBodyBytes, admit }, handler) => {
      const listener = await openTestListener({ host, port }, async (incoming, response) => {
        const controller = new AbortController()
        response.once('close', () => response.writableFinished || controller.abort(fail('INTERRUPTED')))
        const call: Call = { id: 'http', signal: controller.signal, deadline: 120_000 }
        const admitted = await admit?.(readHead(incoming), call)
        if (admitted && 'status' in admitted) return await writeReply(response, admitted)
        const request = await readRequest(incoming)
        if (request.body.length > maxBodyBytes) return await writeReply(response, { status: 413, ...admitted })
        await writeReply(response, await handler(request, call))
      })
      open.push(listener)
      urls.push(listener.url)
      return listener
    },
    close: async () => {
      await Promise.all(open.splice(0).map((listener) => listener.close()))
    },
  }
}

/** What the host of the tests says to everybody. */
export const greeting = 'Hello from the test host.'

async function* greet(_request: TurnRequest, { signal }: Call): AsyncIterable<TurnEvent> {
  yield { type: 'message.start', turn: 'trn_1', session: 'ses_1', provider: 'test', model: 'test' }
  yield { type: 'message.delta', text: greeting }
  yield { type: 'usage', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, calls: 1 }
  yield { type: 'message.complete', text: greeting, status: signal.aborted ? 'interrupted' : 'complete', stop: 'stop' }
}
