import type { Body, FakeDialect, FakeRequest, Refused, Route } from './fake-vendor.ts'

const project = 'fake-project'
const fields = ['model', 'project', 'user_prompt_id', 'request']

/** Code Assist: the API of Gemini in an envelope, for those who are logged in; refuses what its proto has no field for. */
export function codeAssistRoute(asked: FakeRequest, models: readonly string[], gemini: FakeDialect): Route | undefined {
  const { method, path, body } = asked
  const isKey: Route['isKey'] = ({ authorization }, key) => authorization === `Bearer ${key}`
  if (method !== 'POST' || !/^\/v1internal:\w+$/.test(path)) return undefined
  const verb = path.slice(path.indexOf(':') + 1)
  const beside = answers[verb]
  const said = beside?.(body, models)
  if (typeof said === 'string')
    return { isKey, models: {}, dialect: { ...gemini, check: () => gemini.refuse({ status: 400, message: said }) } }
  if (said) return { isKey, models: {}, said, dialect: { ...gemini, check: () => undefined } }
  if (verb !== 'streamGenerateContent' && verb !== 'generateContent') return undefined
  return { isKey, models: {}, dialect: wrap(gemini) }
}

const answers: Readonly<Record<string, (body: Body, models: readonly string[]) => Body | string>> = {
  loadCodeAssist: ({ metadata }) =>
    metadata === undefined
      ? 'metadata is missing'
      : { currentTier: { id: 'free-tier', name: 'Free' }, allowedTiers: [], cloudaicompanionProject: project },
  retrieveUserQuota: ({ project: given }, models) =>
    given === project
      ? { buckets: models.flatMap((modelId) => ['REQUESTS', 'TOKENS'].map((tokenType) => ({ modelId, tokenType, remainingFraction: 1 }))) }
      : 'the project is missing',
}

/** What is inside is judged as Gemini judges it. */
function wrap(gemini: FakeDialect): FakeDialect {
  const inner = (request: FakeRequest): FakeRequest => ({
    ...request,
    path: `/v1beta/models/${String(request.body.model)}${request.path.slice(request.path.indexOf(':'))}`,
    body: (request.body.request ?? {}) as Body,
  })
  const bad = (message: string): Refused => gemini.refuse({ status: 400, message })
  return {
    ...gemini,
    check: (request, models, rules) => {
      const stranger = Object.keys(request.body).find((field) => !fields.includes(field))
      if (stranger) return bad(`Invalid JSON payload received. Unknown name "${stranger}": Cannot find field.`)
      if (request.body.project !== project)
        return gemini.refuse({ status: 403, message: 'Permission denied on the project', code: 'PERMISSION_DENIED' })
      if (typeof request.body.user_prompt_id !== 'string') return bad('user_prompt_id is missing')
      return gemini.check(inner(request), models, rules)
    },
    streams: ({ path }) => path.includes(':stream'),
    stream: (answer, request, rules) => {
      const { begin, rest } = gemini.stream(answer, inner(request), rules)
      const envelope = (piece: string | Uint8Array): string => {
        const data = JSON.parse(String(piece).replace(/^data: /, '')) as Body
        return `data: ${JSON.stringify(data.error ? data : { response: data, traceId: 'trace-1' })}\r\n\r\n`
      }
      return { begin: begin.map(envelope), rest: rest.map(envelope) }
    },
    whole: (answer, request) => ({ response: gemini.whole(answer, inner(request)), traceId: 'trace-1' }),
  }
}
