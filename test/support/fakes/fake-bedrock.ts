import { encodeEvent, encodeException } from './fake-bedrock-frames.ts'
import { checkMessages, idsOf } from './fake-bedrock-messages.ts'
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
import { readAuthorization, signatureOf } from './sigv4.ts'

export interface FakeBedrock extends FakeVendor {
  /** The base URL: `http://127.0.0.1:PORT`. */
  readonly url: string
}

const fields: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['messages', 'system', 'inferenceConfig', 'toolConfig', 'guardrailConfig', 'requestMetadata'],
    ...['additionalModelRequestFields', 'additionalModelResponseFieldPaths'],
  ],
  inferenceConfig: ['maxTokens', 'temperature', 'topP', 'stopSequences'],
  toolConfig: ['tools', 'toolChoice'],
  guardrailConfig: ['guardrailIdentifier', 'guardrailVersion', 'trace', 'streamProcessingMode'],
}

/** ConverseStream and the two lists of models; a key is a bearer token, or the secret that signs a request. */
export async function startFakeBedrock(options: FakeOptions = {}): Promise<FakeBedrock> {
  const server = await startFakeVendor(options, ({ method, path }, models) => {
    const lists = path === '/foundation-models' || path === '/inference-profiles'
    if (method === 'GET' ? !lists : !/^\/model\/[^/]+\/converse-stream$/.test(path)) return undefined
    return {
      dialect: converseDialect,
      isKey: (_headers, key, request) => isProved(request, key),
      models: (request) => listModels(request, models),
    }
  })
  return Object.assign(server, { url: server.origin })
}

function isProved(request: FakeRequest, key: string): boolean {
  const { authorization = '', ...headers } = request.headers
  if (authorization.startsWith('Bearer ')) return authorization === `Bearer ${key}`
  const { signature, scope, signedHeaders } = readAuthorization(request)
  const isWhole =
    ['host', 'x-amz-date'].every((name) => signedHeaders.includes(name)) && /^\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request$/.test(scope)
  const hasToken = headers['x-amz-security-token'] === undefined || signedHeaders.includes('x-amz-security-token')
  return isWhole && hasToken && signature === signatureOf(request, key)
}

/** The first model answers by itself, the others under the names of profiles, one a page. */
function listModels({ path, query }: FakeRequest, models: readonly string[]): Body {
  const row = (modelId: string | undefined, types: readonly string[], streams = true) => ({
    modelId,
    inferenceTypesSupported: types,
    responseStreamingSupported: streams,
  })
  if (path === '/foundation-models') {
    return { modelSummaries: [row(models[0], ['ON_DEMAND']), row('bought', ['PROVISIONED']), row('at-once', ['ON_DEMAND'], false)] }
  }
  const at = Number(new URLSearchParams(query).get('nextToken') ?? 1)
  const found = models.slice(at, at + 1).map((inferenceProfileId) => ({ inferenceProfileId }))
  return { inferenceProfileSummaries: found, ...(at + 1 < models.length ? { nextToken: String(at + 1) } : {}) }
}

const converseDialect: FakeDialect = {
  contentType: 'application/vnd.amazon.eventstream',
  check: ({ path, body }, models) => {
    const model = decodeURIComponent(path.split('/')[2] ?? '')
    if (!models.includes(model)) return bad('The provided model identifier is invalid.')
    const wrong = checkFields('', body) ?? checkMessages(listOf(body.messages)) ?? checkTools(body) ?? checkLimits(body, model)
    return wrong === undefined ? undefined : bad(wrong)
  },
  refuse: refuseConverse,
  streams: () => true,
  stream: streamConverse,
  whole: () => ({}),
}

function refuseConverse({ status, message, code, headers }: NonNullable<FakeAnswer['refuse']>): Refused {
  if (code === 'invalid_api_key') {
    const text = 'The request signature we calculated does not match the signature you provided.'
    return refuseConverse({ status: 403, message: text, code: 'InvalidSignatureException' })
  }
  const kind = code === undefined ? {} : { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/com.amazon.bedrock/` }
  return { status, body: { message }, headers: { ...kind, ...headers } }
}

const bad = (message: string): Refused => refuseConverse({ status: 400, message, code: 'ValidationException' })

function checkFields(name: string, value: unknown): string | undefined {
  const known = fields[name]
  if (!known || typeof value !== 'object' || value === null) return undefined
  for (const [field, inner] of Object.entries(value)) {
    if (!known.includes(field))
      return `Malformed input request: extraneous key [${field}] is not permitted, please reformat your input and try again.`
    const wrong = checkFields(field, inner)
    if (wrong) return wrong
  }
  return undefined
}

function checkTools({ messages, toolConfig }: Body): string | undefined {
  const config = toolConfig as Body | undefined
  const uses = listOf(messages).some((message) => idsOf(message, 'toolUse').length > 0)
  if (!config) return uses ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.' : undefined
  const specs = listOf(config.tools).filter(({ cachePoint }) => cachePoint === undefined)
  if (specs.length === 0) return 'toolConfig.tools: Member must have length greater than or equal to 1'
  for (const { toolSpec } of specs) {
    const { name, description, inputSchema } = (toolSpec ?? {}) as Body
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
      return 'toolConfig.tools.1.member.toolSpec.name: Member must satisfy regular expression pattern'
    if (description === '') return 'toolConfig.tools.1.member.toolSpec.description: Member must have length greater than or equal to 1'
    if (((inputSchema as Body | undefined)?.json as Body | undefined)?.type !== 'object')
      return `The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.`
  }
  const choice = Object.keys((config.toolChoice ?? { auto: {} }) as Body)
  return choice.length === 1 && ['auto', 'any', 'tool'].includes(String(choice[0]))
    ? undefined
    : 'toolConfig.toolChoice: exactly one of auto, any, tool'
}

function checkLimits(
  { additionalModelRequestFields, inferenceConfig, toolConfig, system, messages }: Body,
  model: string,
): string | undefined {
  const blocks = [
    ...listOf((toolConfig as Body | undefined)?.tools),
    ...listOf(system),
    ...listOf(messages).flatMap(({ content }) => listOf(content)),
  ]
  const points = blocks.filter(({ cachePoint }) => cachePoint !== undefined).length
  if (points > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${points}.`
  if (points > 0 && !/claude|nova/.test(model)) return 'You invoked an unsupported model or your request did not allow prompt caching.'
  const { thinking } = (additionalModelRequestFields ?? {}) as { thinking?: { budget_tokens?: number } }
  const { maxTokens, temperature } = (inferenceConfig ?? {}) as Body
  if (!thinking) return undefined
  if (temperature !== undefined) return '`temperature` may only be set to 1 when thinking is enabled.'
  return (thinking.budget_tokens ?? 0) >= Number(maxTokens ?? 4096)
    ? '`max_tokens` must be greater than `thinking.budget_tokens`.'
    : undefined
}

function streamConverse(answer: FakeAnswer): { begin: Uint8Array[]; rest: Uint8Array[] } {
  let index = -1
  const block = (deltas: readonly Body[], start?: Body): Uint8Array[] => {
    index += 1
    const contentBlockIndex = index
    return [
      ...(start ? [encodeEvent('contentBlockStart', { contentBlockIndex, start })] : []),
      ...deltas.map((delta) => encodeEvent('contentBlockDelta', { contentBlockIndex, delta })),
      encodeEvent('contentBlockStop', { contentBlockIndex }),
    ]
  }
  const thoughts = deltasOf(answer.reasoning).map((text) => ({ reasoningContent: { text } }))
  const texts = deltasOf(answer.text).map((text) => ({ text }))
  const begin = [
    encodeEvent('messageStart', { role: 'assistant' }),
    ...(thoughts.length > 0 ? block([...thoughts, { reasoningContent: { signature: 'sig-1' } }]) : []),
    ...(texts.length > 0 ? block(texts) : []),
  ]
  if (answer.error) return { begin, rest: [encodeException(String(answer.error.type ?? 'validationException'), answer.error.message)] }
  const calls = (answer.calls ?? []).flatMap(({ id, name, args }, at) =>
    block(
      interleave([{ args }]).map(({ piece }) => ({ toolUse: { input: piece } })),
      { toolUse: { toolUseId: id ?? `tooluse_${at + 1}`, name } },
    ),
  )
  const stopReason = answer.stop ?? (answer.calls ? 'tool_use' : 'end_turn')
  return {
    begin,
    rest: [
      ...calls,
      encodeEvent('messageStop', { stopReason }),
      encodeEvent('metadata', { usage: usageOf(answer), metrics: { latencyMs: 1 } }),
    ],
  }
}

function usageOf({ usage }: FakeAnswer): Body {
  const { input = 10, output = 5, cached = 0 } = usage ?? {}
  return {
    inputTokens: input - cached,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  }
}
