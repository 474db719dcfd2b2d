import { checkMessages } from './fake-anthropic-messages.ts'
import {
  type Body,
  deltasOf,
  type FakeAnswer,
  type FakeDialect,
  type FakeOptions,
  type FakeRequest,
  type FakeVendor,
  interleave,
  listOf,
  type Refused,
  startFakeVendor,
} from './fake-vendor.ts'

export interface FakeAnthropic extends FakeVendor {
  /** The base URL, without `/v1`. */
  readonly url: string
}

const fields = new Set(
  'model anthropic_version max_tokens messages system stream tools tool_choice temperature thinking output_config metadata stop_sequences'.split(
    ' ',
  ),
)

/** The Messages API, streamed and not; refuses what the vendor refuses, and consecutive messages of one role. */
export async function startFakeAnthropic(options: FakeOptions = {}): Promise<FakeAnthropic> {
  const server = await startFakeVendor(options, ({ method, path }, models) => {
    if (options.rules?.modelInPath !== undefined) return vertexRoute(method, path, models)
    if (path !== (method === 'GET' ? '/v1/models' : '/v1/messages')) return undefined
    return {
      dialect: messagesDialect,
      isKey: (headers, key) => headers['x-api-key'] === key,
      models: { data: models.map((id) => ({ type: 'model', id, display_name: id })), has_more: false },
    }
  })
  return Object.assign(server, { url: server.origin })
}

/** Claude at Google: another path, a token as proof, and Google's list of models. */
function vertexRoute(method: string, path: string, models: readonly string[]) {
  const fits = method === 'GET' ? path === '/v1beta1/publishers/anthropic/models' : /^\/models\/[^/:]+:streamRawPredict$/.test(path)
  if (!fits) return undefined
  return {
    dialect: messagesDialect,
    isKey: (headers: FakeRequest['headers'], key: string) => headers.authorization === `Bearer ${key}`,
    models: { publisherModels: models.map((id) => ({ name: `publishers/anthropic/models/${id}` })) },
  }
}

const messagesDialect: FakeDialect = {
  check({ headers, body, path }, models, { modelInPath }) {
    if (modelInPath !== undefined) {
      if ('model' in body) return bad('model: Extra inputs are not permitted')
      if (body.anthropic_version !== modelInPath) return bad('anthropic_version: Field required')
      const model = decodeURIComponent(path.replace(/^\/models\/|:streamRawPredict$/g, ''))
      return checkBody({ ...body, model }, models) ?? problem(checkMessages(listOf(body.messages))) ?? checkMarkers(body)
    }
    if (!headers['anthropic-version']) return bad('anthropic-version: header is required')
    return checkBody(body, models) ?? problem(checkMessages(listOf(body.messages))) ?? checkMarkers(body)
  },
  refuse: refuseMessage,
  stream: streamMessage,
  whole: (answer, { body }) => ({
    ...messageOf(body),
    content: blocksOf(answer).map(({ whole }) => whole),
    stop_reason: stopOf(answer),
    usage: { ...inputUsage(answer), output_tokens: answer.usage?.output ?? 5 },
  }),
}

function refuseMessage({ status, message, type, headers }: NonNullable<FakeAnswer['refuse']>): Refused {
  return { status, body: { type: 'error', error: { type: type ?? 'invalid_request_error', message } }, ...(headers ? { headers } : {}) }
}

const bad = (message: string): Refused => refuseMessage({ status: 400, message })
const problem = (message: string | undefined): Refused | undefined => (message === undefined ? undefined : bad(message))

function checkBody(body: Body, models: readonly string[]): Refused | undefined {
  const missing = ['model', 'max_tokens', 'messages'].find((name) => body[name] === undefined)
  if (missing) return bad(`${missing}: Field required`)
  const stranger = Object.keys(body).find((key) => !fields.has(key))
  if (stranger) return bad(`${stranger}: Extra inputs are not permitted`)
  if (!models.includes(String(body.model))) return refuseMessage({ status: 404, message: `model: ${body.model}`, type: 'not_found_error' })
  const thinking = body.thinking as { type?: string; budget_tokens?: number } | undefined
  if (thinking?.type === 'enabled' && (thinking.budget_tokens ?? 0) < 1024)
    return bad('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
  if ((thinking?.budget_tokens ?? 0) >= Number(body.max_tokens)) return bad('`max_tokens` must be greater than `thinking.budget_tokens`.')
  if (thinking && body.temperature !== undefined && body.temperature !== 1)
    return bad('`temperature` may only be set to 1 when thinking is enabled.')
  const tool = listOf(body.tools).findIndex(({ input_schema: schema }) => (schema as Body | undefined)?.type !== 'object')
  return tool < 0 ? undefined : bad(`tools.${tool}.custom.input_schema.type: Field required`)
}

function checkMarkers(body: Body): Refused | undefined {
  const blocks = [...listOf(body.tools), ...listOf(body.system), ...listOf(body.messages).flatMap(({ content }) => listOf(content))]
  const marked = blocks.filter((block) => block.cache_control !== undefined)
  if (marked.some(({ type }) => type === 'thinking')) return bad('thinking blocks cannot have cache_control set')
  return marked.length > 4 ? bad(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`) : undefined
}

function stopOf(answer: FakeAnswer): string {
  return answer.stop ?? (answer.calls ? 'tool_use' : 'end_turn')
}

function messageOf(body: Body): Body {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null }
}

function inputUsage({ usage }: FakeAnswer): Body {
  const { input = 10, cached = 0 } = usage ?? {}
  return { input_tokens: input - cached, cache_read_input_tokens: cached, cache_creation_input_tokens: 0, output_tokens: 1 }
}

interface FakeBlock {
  readonly start: Body
  readonly deltas: readonly Body[]
  readonly whole: Body
}

function blocksOf(answer: FakeAnswer): FakeBlock[] {
  const thoughts = deltasOf(answer.reasoning)
  const texts = deltasOf(answer.text)
  const blocks: FakeBlock[] = []
  if (thoughts.length > 0) {
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...thoughts.map((thinking) => ({ type: 'thinking_delta', thinking })), { type: 'signature_delta', signature: 'sig-1' }],
      whole: { type: 'thinking', thinking: thoughts.join(''), signature: 'sig-1' },
    })
  }
  if (texts.length > 0) {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: texts.map((text) => ({ type: 'text_delta', text })),
      whole: { type: 'text', text: texts.join('') },
    })
  }
  return [...blocks, ...callBlocks(answer)]
}

function callBlocks({ calls = [] }: FakeAnswer): FakeBlock[] {
  return calls.map(({ id, name, args }, index) => {
    const start = { type: 'tool_use', id: id ?? `toolu_${index + 1}`, name, input: {} }
    return {
      start,
      deltas: interleave([{ args }]).map(({ piece }) => ({ type: 'input_json_delta', partial_json: piece })),
      whole: { ...start, input: parsed(args) },
    }
  })
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return {}
  }
}

function streamMessage(answer: FakeAnswer, { body }: FakeRequest): { begin: string[]; rest: string[] } {
  const event = (type: string, data: Body = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const calls = callBlocks(answer).length
  const blocks = blocksOf(answer).map(({ start, deltas }, index) => [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ])
  const begin = [
    event('message_start', { message: { ...messageOf(body), usage: inputUsage(answer) } }),
    event('ping'),
    ...blocks.slice(0, blocks.length - calls).flat(),
  ]
  if (answer.error) return { begin, rest: [event('error', { error: answer.error })] }
  return {
    begin,
    rest: [
      ...blocks.slice(blocks.length - calls).flat(),
      event('message_delta', {
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: answer.usage?.output ?? 5 },
      }),
      event('message_stop'),
    ],
  }
}
