import { codeAssistRoute } from './fake-code-assist.ts'
import { checkContents } from './fake-gemini-contents.ts'
import { checkSchema } from './fake-gemini-schema.ts'
import {
  type Body,
  deltasOf,
  type FakeAnswer,
  type FakeDialect,
  type FakeOptions,
  type FakeRequest,
  type FakeVendor,
  listOf,
  type Refused,
  startFakeVendor,
} from './fake-vendor.ts'

export interface FakeGemini extends FakeVendor {
  /** The base URL: `http://127.0.0.1:PORT/v1beta`. */
  readonly url: string
}

/** Names of fields, below the name of what holds them; what is not named may hold anything. */
const fields: Readonly<Record<string, readonly string[]>> = {
  '': ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent'],
  generationConfig: ['temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'thinkingConfig', 'candidateCount', 'seed'],
  thinkingConfig: ['includeThoughts', 'thinkingBudget', 'thinkingLevel'],
  toolConfig: ['functionCallingConfig'],
  functionCallingConfig: ['mode', 'allowedFunctionNames'],
  systemInstruction: ['role', 'parts'],
}

/** The native API of Gemini, streamed and not; refuses what the vendor refuses. */
export async function startFakeGemini(options: FakeOptions = {}): Promise<FakeGemini> {
  const inEnvelope = options.rules?.envelope === 'code-assist'
  const server = await startFakeVendor(options, (asked, models) => {
    const { method, path } = asked
    if (inEnvelope) return codeAssistRoute(asked, models, geminiDialect)
    const route =
      method === 'GET'
        ? /^\/v1beta1?\/(publishers\/google\/)?models$/.test(path)
        : /^\/v1beta\/models\/[^/]+:(stream)?[gG]enerateContent$/.test(path)
    if (!route) return undefined
    return {
      dialect: geminiDialect,
      isKey: (headers, key) => headers['x-goog-api-key'] === key,
      models: (request) => listModels(request, models),
    }
  })
  return Object.assign(server, { url: `${server.origin}/${inEnvelope ? 'v1internal' : 'v1beta'}` })
}

/** One model a page, and one that only embeds. */
function listModels({ path, query }: FakeRequest, models: readonly string[]): Body {
  if (path.includes('publishers')) return { publisherModels: models.map((name) => ({ name: `publishers/google/models/${name}` })) }
  const at = Number(new URLSearchParams(query).get('pageToken') ?? 0)
  const row = (name: string | undefined, method: string) => ({
    name: `models/${name}`,
    supportedGenerationMethods: [method, 'countTokens'],
  })
  const rows = [row(models[at], 'generateContent'), row('embedding', 'embedContent')]
  return { models: rows, ...(at + 1 < models.length ? { nextPageToken: String(at + 1) } : {}) }
}

const geminiDialect: FakeDialect = {
  check: ({ path, query, body }, models) => {
    const model = modelOf(path)
    if (!models.includes(model)) {
      const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`
      return refuseGenerate({ status: 404, message, code: 'NOT_FOUND' })
    }
    if (path.includes(':stream') && !query.includes('alt=sse')) return bad('the fake streams events only')
    return problem(checkFields('', body) ?? checkThinking(model, body) ?? checkTools(body) ?? checkContents(listOf(body.contents), model))
  },
  refuse: refuseGenerate,
  streams: ({ path }) => path.includes(':stream'),
  stream: (answer, request) => {
    const line = (data: object): string => `data: ${JSON.stringify(data)}\r\n\r\n`
    const { begin, rest } = chunksOf(answer, modelOf(request.path))
    return { begin: begin.map(line), rest: answer.error ? [line({ error: answer.error })] : rest.map(line) }
  },
  whole: (answer, { path }) => {
    const { begin, rest } = chunksOf(answer, modelOf(path))
    const parts = [...begin, ...rest]
      .flatMap(({ candidates }) => listOf(candidates))
      .flatMap(({ content }) => listOf((content as Body)?.parts))
    const [last] = listOf(rest.at(-1)?.candidates)
    return { ...rest.at(-1), candidates: [{ ...last, content: { role: 'model', parts } }] }
  },
}

const modelOf = (path: string): string => decodeURIComponent(/models\/([^/]+):/.exec(path)?.[1] ?? '')

export function refuseGenerate({ status, message, code, headers }: NonNullable<FakeAnswer['refuse']>): Refused {
  const error = { code: status, message, status: code ?? (status === 400 ? 'INVALID_ARGUMENT' : 'UNKNOWN') }
  return { status, body: { error }, ...(headers ? { headers } : {}) }
}

const bad = (message: string): Refused => refuseGenerate({ status: 400, message })
const problem = (message: string | undefined): Refused | undefined => (message === undefined ? undefined : bad(message))

function checkFields(name: string, value: unknown): string | undefined {
  const known = fields[name]
  if (!known || typeof value !== 'object' || value === null) return undefined
  for (const [field, inner] of Object.entries(value)) {
    if (!known.includes(field))
      return `Invalid JSON payload received. Unknown name "${field}"${name ? ` at '${name}'` : ''}: Cannot find field.`
    const wrong = checkFields(field, inner)
    if (wrong) return wrong
  }
  return undefined
}

function checkThinking(model: string, { generationConfig }: Body): string | undefined {
  const config = (generationConfig as Body | undefined)?.thinkingConfig as Body | undefined
  if (!config) return undefined
  if (config.thinkingBudget !== undefined && config.thinkingLevel !== undefined)
    return 'You can only set only one of thinking budget and thinking level.'
  if (/gemini-2\.5/.test(model) && config.thinkingLevel !== undefined) return 'Thinking level is not supported for this model.'
  if (/gemini-2\.5-pro/.test(model) && config.thinkingBudget === 0) return 'Budget 0 is invalid. This model only works in thinking mode.'
  return undefined
}

function checkTools({ tools }: Body): string | undefined {
  for (const [at, tool] of listOf(tools).entries()) {
    for (const [index, declaration] of listOf(tool.functionDeclarations).entries()) {
      const place = `tools[${at}].function_declarations[${index}]`
      const stranger = Object.keys(declaration).find((key) => !['name', 'description', 'parameters', 'behavior'].includes(key))
      if (stranger) return `Invalid JSON payload received. Unknown name "${stranger}" at '${place}': Cannot find field.`
      if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(String(declaration.name))) return `Invalid function name at '${place}.name'.`
      const wrong = declaration.parameters === undefined ? undefined : checkSchema(declaration.parameters, `${place}.parameters`)
      if (wrong) return wrong
    }
  }
  return undefined
}

/** The first call of an answer carries a signature. */
function chunksOf(answer: FakeAnswer, modelVersion: string): { begin: Body[]; rest: Body[] } {
  const chunk = (parts: readonly Body[], more: Body = {}): Body => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    ...usageOf(answer),
    modelVersion,
  })
  const calls = (answer.calls ?? []).map(({ id, name, args }, index) => ({
    functionCall: { ...(id === undefined ? {} : { id }), name, args: JSON.parse(args) },
    ...(index === 0 ? { thoughtSignature: 'c2lnLTE=' } : {}),
  }))
  return {
    begin: [
      ...deltasOf(answer.reasoning).map((text) => chunk([{ text, thought: true }])),
      ...deltasOf(answer.text).map((text) => chunk([{ text }])),
    ],
    rest: [...(calls.length > 0 ? [chunk(calls)] : []), chunk([{ text: '' }], { finishReason: answer.stop ?? 'STOP' })],
  }
}

function usageOf({ usage }: FakeAnswer): Body {
  const { input = 10, output = 5, cached = 0, reasoning = 0 } = usage ?? {}
  return {
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - reasoning,
      totalTokenCount: input + output,
      ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
      ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    },
  }
}
