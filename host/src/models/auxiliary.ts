import type { Call, Clock, Log, ModelRequest } from '@agent/plugin-sdk'
import { detailOf, fail, fromWireError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import { newId } from '#kernel/ids.ts'
import type { Beneficiary } from '#store/usage.ts'
import type { Book } from './book.ts'
import { countCalls } from './count-calls.ts'
import type { ChatModel, Models } from './open.ts'
import { type FailedRequest, repairRequest } from './repair.ts'
import type { ModelChoice, ModelSettings } from './request/endpoint.ts'
import type { ModelWish } from './select.ts'
import type { StandInSettings } from './stand-ins.ts'

/** What the settings say of a task; an empty text counts as absent. */
export interface AuxiliaryTask {
  /** `auto` and `main`: the model of the conversation. */
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly base_url?: string | undefined
  readonly api_key?: string | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

export interface AuxiliaryOptions {
  readonly models: Pick<Models, 'model'>
  /** `auxiliary` as it is now. */
  readonly tasks: () => Readonly<Record<string, AuxiliaryTask>>
  readonly choose: (wish: ModelWish) => ModelChoice
  /** The models that stand in for another. */
  readonly chain: () => readonly StandInSettings[]
  readonly book: Book
  readonly clock: Clock
  readonly log: Log
}

export interface AuxiliaryAsk {
  /** Its name below `auxiliary`. */
  readonly task: string
  readonly request: Omit<ModelRequest, 'model' | 'session'>
  /** What it counts for. */
  readonly served?: Beneficiary | undefined
  /** The call of a plugin that it is a part of: it counts for what that works for. */
  readonly call?: Pick<Call, 'id'>
  readonly signal: AbortSignal
  /** How long an answer may take where the settings say nothing. */
  readonly seconds: number
  /** Whether a model can do the task; the next is asked where one cannot. */
  readonly fits?: (model: Pick<ChatModel, 'provider' | 'model'>) => Promise<boolean>
}

/** What a model says to a task beside the conversation. Rejects with the error of the first that was asked, or NO_PROVIDER. */
export type AskAuxiliary = (ask: AuxiliaryAsk) => Promise<string>

/**
 * Asks the model that the settings name for a task, then the one of the conversation, then those that stand in for it: each once, until one
 * answers. One that would go beyond a budget is passed over like one that fails.
 */
export function createAuxiliary(options: AuxiliaryOptions): AskAuxiliary {
  const { tasks, clock, log } = options
  return async ({ task, request, signal, seconds, fits = async () => true, ...of }) => {
    const { book } = options
    const served = of.served ?? (of.call && book.served.of(of.call))
    const models = countCalls(options.models, { book, source: task, served })
    const deadline = (tasks()[task]?.timeout || seconds) * 1000
    return await callWithin({ clock, signal, deadline, what: `The model for ${task}` }, async (call) => {
      const failures: unknown[] = []
      const tell = (error: unknown): void => {
        failures.push(error)
        log.warn('a model did not do its task', { task, error: detailOf(error) })
      }
      const asked = new Set<string>()
      for (const candidate of candidatesFor(options, task)) {
        const said = await attempt(async () => {
          const choice = candidate()
          const isNew = asked.size < asked.add(keyOf(choice)).size
          const model = isNew ? await models.model(choice) : undefined
          return model && (await fits(model)) ? await listen(model, request, call) : undefined
        }, tell)
        call.signal.throwIfAborted()
        if (said !== undefined) return said
      }
      throw failures[0] ?? fail('NO_PROVIDER')
    })
  }
}

async function attempt(run: () => Promise<string | undefined>, tell: (error: unknown) => void): Promise<string | undefined> {
  try {
    return await run()
  } catch (error) {
    tell(error)
    return undefined
  }
}

type Candidate = () => Pick<ModelChoice, 'provider' | 'model'> & { readonly settings?: ModelSettings }

function candidatesFor({ tasks, choose, chain }: AuxiliaryOptions, task: string): readonly Candidate[] {
  return [() => firstFor(tasks()[task], choose), () => choose({}), ...chain().map((entry) => () => direct(entry))]
}

/** The model that is asked first for a task. Throws MODEL_MISSING or what the choice throws. */
export function firstFor(task: AuxiliaryTask = {}, choose: AuxiliaryOptions['choose']): ReturnType<Candidate> {
  const { model = '', base_url, api_key } = task
  const named = pinnedProvider(task)
  if (!base_url) return direct({ ...choose({ provider: named, model }), api_key })
  if (model === '') throw fail('MODEL_MISSING', { provider: named || 'custom' })
  return direct({ provider: named || 'custom', model, base_url, api_key })
}

/** Whether the settings name a model for a task, beside the one of the conversation. */
export function isPinned(task: AuxiliaryTask = {}): boolean {
  return Boolean(pinnedProvider(task) || task.model || task.base_url)
}

const pinnedProvider = ({ provider = '' }: AuxiliaryTask): string => (provider === 'auto' || provider === 'main' ? '' : provider)

const keyOf = ({ provider, model, settings }: ReturnType<Candidate>): string => JSON.stringify([provider, model, settings?.base_url])

function direct({ provider, model, base_url, api_key }: StandInSettings): ReturnType<Candidate> {
  return { provider, model, ...(base_url || api_key ? { settings: { provider, base_url, api_key } } : {}) }
}

/** What a service refuses to be told is left out once for each such field. */
async function listen(model: ChatModel, asked: AuxiliaryAsk['request'], call: Call): Promise<string> {
  let request: ModelRequest | undefined = { ...asked, model: model.model, session: newId('ses') }
  for (;;) {
    const { text, failed } = await listenOnce(model, request, call)
    if (!failed) return text
    request = repairRequest(failed, request)
    if (!request) throw fromWireError(failed.error)
  }
}

async function listenOnce(
  model: ChatModel,
  request: ModelRequest,
  call: Call,
): Promise<{ readonly text: string; readonly failed?: FailedRequest }> {
  let text = ''
  for await (const event of model.stream(request, call)) {
    if (event.type === 'text') text += event.delta
    if (event.type === 'failed') return { text, failed: event }
  }
  return { text }
}
