import {
  type Body,
  deltasOf,
  type FakeAnswer,
  type FakeDialect,
  type FakeRequest,
  interleave,
  listOf,
  type Refused,
  type VendorRules,
} from './fake-vendor.ts'

const fields = new Set(
  'model messages stream stream_options tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p reasoning_effort prompt_cache_key user seed stop n'.split(
    ' ',
  ),
)
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

export const chatDialect: FakeDialect = {
  check: ({ body }, models, rules) =>
    checkBody(body, models, rules) ??
    checkRules(listOf(body.messages), rules) ??
    checkMessages(listOf(body.messages)) ??
    (rules.strictRoles ? checkTurns(listOf(body.messages)) : undefined),
  refuse: refuseChat,
  stream: streamChat,
  whole: (answer, { body }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: deltasOf(answer.text).join('') || null,
          ...(answer.reasoning === undefined ? {} : { reasoning_content: deltasOf(answer.reasoning).join('') }),
          ...(answer.calls ? { tool_calls: callsOf(answer).map(({ index: _, ...call }) => call) } : {}),
        },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  }),
}

export function refuseChat({ status, message, type, code, headers }: NonNullable<FakeAnswer['refuse']>): Refused {
  const error = { message, type: type ?? 'invalid_request_error', param: null, code: code ?? null }
  return { status, body: { error }, ...(headers ? { headers } : {}) }
}

const bad = (message: string, code?: string): Refused => refuseChat({ status: 400, message, ...(code ? { code } : {}) })

/** What both protocols of this vendor refuse alike about model and unknown fields. */
export function checkModel(body: Body, models: readonly string[]): Refused | undefined {
  if (typeof body.model !== 'string' || body.model === '') return bad('you must provide a model parameter')
  if (models.includes(body.model)) return undefined
  const message = `The model \`${body.model}\` does not exist or you do not have access to it.`
  return refuseChat({ status: 404, message, code: 'model_not_found' })
}

function checkBody(body: Body, models: readonly string[], { takes = [], refuses = [] }: VendorRules): Refused | undefined {
  const wrongModel = checkModel(body, models)
  if (wrongModel) return wrongModel
  const stranger = Object.keys(body).find((key) => !takes.includes(key) && (refuses.includes(key) || !fields.has(key)))
  if (stranger) return bad(`Unrecognized request argument supplied: ${stranger}`)
  if (listOf(body.messages).length === 0) return bad("Invalid 'messages': empty array. Expected an array with minimum length 1.")
  if (body.stream_options !== undefined && body.stream !== true)
    return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  for (const [index, tool] of listOf(body.tools).entries()) {
    const { name, parameters } = (tool.function ?? {}) as { name?: unknown; parameters?: Body }
    if (tool.type !== 'function' || typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      return bad(
        `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      )
    }
    if (parameters?.type !== 'object')
      return bad(`Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`)
  }
  return undefined
}

/** What this vendor alone refuses in messages. */
function checkRules(messages: readonly Body[], { refuses = [], callId = /^/ }: VendorRules): Refused | undefined {
  for (const [index, message] of messages.entries()) {
    const field = refuses.find((name) => name in message)
    if (field) return bad(`messages.${index}.${message.role}.${field}: property '${field}' is unsupported`)
    const ids = [message.tool_call_id, ...listOf(message.tool_calls).map(({ id }) => id)].filter((id) => id !== undefined)
    const wrong = ids.find((id) => !callId.test(String(id)))
    if (wrong !== undefined) return bad(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`)
  }
  return undefined
}

/** Every tool message answers a call of the assistant message before it, and every call is answered. */
function checkMessages(messages: readonly Body[]): Refused | undefined {
  let open: Set<unknown> | undefined
  for (const [index, message] of messages.entries()) {
    if (!roles.has(String(message.role)))
      return bad(`Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`)
    if (message.role === 'tool') {
      if (!open) return bad("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
      if (!open.delete(message.tool_call_id)) {
        return bad(`Invalid parameter: 'tool_call_id' of '${message.tool_call_id}' not found in 'tool_calls' of previous message.`)
      }
      continue
    }
    if (open && open.size > 0) return unanswered(open)
    open = undefined
    const refused = checkMessage(message, index)
    if (refused) return refused
    if (message.tool_calls !== undefined) open = new Set(listOf(message.tool_calls).map(({ id }) => id))
  }
  return open && open.size > 0 ? unanswered(open) : undefined
}

/** What servers of open models refuse whose template wants it so: the prompt first, then person and agent in turns, with calls and their results between. */
function checkTurns([first, ...others]: readonly Body[]): Refused | undefined {
  const isPrompt = first?.role === 'system' || first?.role === 'developer'
  const roles = (isPrompt ? others : [first, ...others]).map((message) => message?.role)
  const ordered = roles.every((role, at) => {
    const before = roles[at - 1]
    if (role === 'user') return before === undefined || before === 'assistant'
    if (role === 'assistant') return before === 'user' || before === 'tool'
    return role === 'tool'
  })
  return ordered ? undefined : bad('Conversation roles must alternate user/assistant/user/assistant/...')
}

function checkMessage(message: Body, index: number): Refused | undefined {
  const calls = listOf(message.tool_calls)
  if (message.tool_calls !== undefined && calls.length === 0) return bad(`Invalid 'messages[${index}].tool_calls': empty array.`)
  if (calls.some(({ function: called }) => typeof (called as Body | undefined)?.arguments !== 'string')) {
    return bad(`Invalid type for 'messages[${index}].tool_calls[0].function.arguments': expected a string.`)
  }
  if (typeof message.content === 'string' || Array.isArray(message.content)) return undefined
  if (message.role === 'assistant' && calls.length > 0) return undefined
  return bad(`Invalid value for 'content': expected a string, got ${message.content === null ? 'null' : typeof message.content}.`)
}

function unanswered(ids: ReadonlySet<unknown>): Refused {
  return bad(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
  )
}

function callsOf({ calls = [] }: FakeAnswer): { index: number; id: string; type: string; function: { name: string; arguments: string } }[] {
  return calls.map(({ id, name, args }, index) => ({
    index,
    id: id ?? `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: args },
  }))
}

function finishOf(answer: FakeAnswer): string {
  return answer.stop ?? (answer.calls ? 'tool_calls' : 'stop')
}

function usageOf({ usage }: FakeAnswer): Body {
  const { input = 10, output = 5, cached = 0, reasoning = 0 } = usage ?? {}
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function streamChat(
  answer: FakeAnswer,
  { body }: FakeRequest,
  { reasoning = 'reasoning_content', countsUnasked }: VendorRules,
): { begin: string[]; rest: string[] } {
  const line = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: body.model }
  const chunk = (delta: object, finish: string | null = null): string =>
    line({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
  const begin = [
    chunk({ role: 'assistant', content: '' }),
    ...deltasOf(answer.reasoning).map((text) => chunk({ [reasoning]: text })),
    ...deltasOf(answer.text).map((text) => chunk({ content: text })),
  ]
  if (answer.error) return { begin, rest: [line({ error: answer.error })] }
  const calls = callsOf(answer)
  const includeUsage = countsUnasked === true || (body.stream_options as Body | undefined)?.include_usage === true
  return {
    begin,
    rest: [
      ...calls.map((call) => chunk({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] })),
      ...interleave(answer.calls ?? []).map(({ index, piece }) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      chunk({}, finishOf(answer)),
      ...(includeUsage ? [line({ ...base, choices: [], usage: usageOf(answer) })] : []),
      'data: [DONE]\n\n',
    ],
  }
}
