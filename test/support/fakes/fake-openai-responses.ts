import { checkModel, refuseChat } from './fake-openai-chat.ts'
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
  'model input instructions stream store include reasoning tools tool_choice parallel_tool_calls max_output_tokens temperature top_p prompt_cache_key metadata'.split(
    ' ',
  ),
)

export const responsesDialect: FakeDialect = {
  check: ({ body }, models, rules) =>
    checkModel(body, models) ?? checkRules(body, rules) ?? checkBody(body) ?? checkLimits(body) ?? checkInput(listOf(body.input)),
  refuse: refuseChat,
  stream: streamResponse,
  whole: (answer, { body }) => responseOf(answer, body, { status: statusOf(answer), output: itemsOf(answer) }),
}

const bad = (message: string, code?: string): Refused => refuseChat({ status: 400, message, ...(code ? { code } : {}) })

/** The service behind a ChatGPT plan has only this to say about a field that the vendor's API takes. */
function checkRules(body: Body, { refuses = [] }: VendorRules): Refused | undefined {
  const refused = Object.keys(body).find((key) => refuses.includes(key))
  return refused === undefined ? undefined : { status: 400, body: { detail: `Unsupported parameter: ${refused}` } }
}

/** Efforts by model, as people were answered and wrote them down: community.openai.com/t/1371738, openai/codex#6647. */
const efforts: readonly (readonly [model: RegExp, efforts: string])[] = [
  [/^gpt-5-pro/, 'high'],
  [/^gpt-5\.\d-pro/, 'medium high xhigh'],
  [/^gpt-5\.[2-9]-codex/, 'low medium high xhigh'],
  [/^(o\d|codex|gpt-5(\.1)?-codex)/, 'low medium high'],
  [/^gpt-5(-mini|-nano|-2025-08-07)?$/, 'minimal low medium high'],
  [/^gpt-5\.1/, 'none low medium high'],
  [/^gpt-[5-9]/, 'none low medium high xhigh'],
]

function checkLimits(body: Body): Refused | undefined {
  const { model, max_output_tokens: most, temperature } = body
  if (typeof most === 'number' && most < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`
    return bad(message, 'integer_below_min_value')
  }
  const isChat = String(model).includes('-chat')
  const allowed = isChat ? undefined : efforts.find(([name]) => name.test(String(model)))?.[1].split(' ')
  const effort = (body.reasoning as Body | undefined)?.effort
  if (allowed && effort !== undefined && !allowed.includes(String(effort))) {
    return bad(`Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${allowed.join(', ')}.`)
  }
  const isCalm = effort === 'none' && /^gpt-5\.[124]/.test(String(model))
  if (allowed && temperature !== undefined && !isCalm) {
    return bad("Unsupported parameter: 'temperature' is not supported with this model.")
  }
  return undefined
}

function checkBody(body: Body): Refused | undefined {
  const stranger = Object.keys(body).find((key) => !fields.has(key))
  if (stranger) return bad(`Unknown parameter: '${stranger}'.`, 'unknown_parameter')
  if (!Array.isArray(body.input) || body.input.length === 0)
    return bad("Missing required parameter: 'input'.", 'missing_required_parameter')
  for (const [index, tool] of listOf(body.tools).entries()) {
    if (tool.type !== 'function' || typeof tool.name !== 'string') return bad(`Missing required parameter: 'tools[${index}].name'.`)
  }
  if (Array.isArray(body.include) && !/^(o\d|gpt-[5-9])/.test(String(body.model)))
    return bad('Encrypted content is not supported with this model.')
  return undefined
}

function checkInput(items: readonly Body[]): Refused | undefined {
  const open = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    if (item.type === 'function_call') open.add(item.call_id)
    else if (item.type === 'function_call_output' && !open.delete(item.call_id)) {
      return bad(`No tool call found for function call output with call_id ${item.call_id}.`)
    } else if (item.type === 'reasoning' && !String(item.encrypted_content).startsWith('enc-')) {
      return bad('The encrypted content could not be verified.', 'invalid_encrypted_content')
    } else if (item.role !== undefined) {
      const refused = checkContent(item, index)
      if (refused) return refused
    }
  }
  const [unanswered] = open
  return unanswered === undefined ? undefined : bad(`No tool output found for function call ${unanswered}.`)
}

function checkContent(item: Body, index: number): Refused | undefined {
  const allowed = item.role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file']
  const wrong = listOf(item.content).find(({ type }) => !allowed.includes(String(type)))
  if (!wrong) return undefined
  return bad(`Invalid value: '${wrong.type}'. Supported values are: ${allowed.join(', ')} (input[${index}].content[0]).`, 'invalid_value')
}

function statusOf({ stop }: FakeAnswer): string {
  return stop === 'max_output_tokens' || stop === 'content_filter' ? 'incomplete' : 'completed'
}

function responseOf(answer: FakeAnswer, body: Body, more: Body): Body {
  const { input = 10, output = 5, cached = 0, reasoning = 0 } = answer.usage ?? {}
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: body.model,
    error: null,
    incomplete_details: statusOf(answer) === 'incomplete' ? { reason: answer.stop } : null,
    output: [],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    },
    ...more,
  }
}

function itemsOf(answer: FakeAnswer): Body[] {
  const thought = deltasOf(answer.reasoning).join('')
  const said = deltasOf(answer.text).join('')
  return [
    ...(thought ? [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: thought }], encrypted_content: 'enc-1' }] : []),
    ...(said
      ? [
          {
            type: 'message',
            id: 'msg_1',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: said, annotations: [] }],
          },
        ]
      : []),
    ...(answer.calls ?? []).map(({ id, name, args }, index) => ({
      type: 'function_call',
      id: `fc_${index + 1}`,
      call_id: id ?? `call_${index + 1}`,
      name,
      arguments: args,
      status: 'completed',
    })),
  ]
}

function streamResponse(answer: FakeAnswer, { body }: FakeRequest): { begin: string[]; rest: string[] } {
  let sequence = 0
  const event = (type: string, data: Body): string => {
    const text = `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`
    sequence += 1
    return text
  }
  const items = itemsOf(answer)
  const calls = items.filter(({ type }) => type === 'function_call')
  const others = items.filter(({ type }) => type !== 'function_call')
  const begin = [event('response.created', { response: responseOf(answer, body, { status: 'in_progress' }) })]
  for (const [index, item] of others.entries()) {
    begin.push(event('response.output_item.added', { output_index: index, item: { ...item, content: [], summary: [] } }))
    const [type, deltas] =
      item.type === 'reasoning'
        ? ['response.reasoning_summary_text.delta', deltasOf(answer.reasoning)]
        : ['response.output_text.delta', deltasOf(answer.text)]
    for (const delta of deltas)
      begin.push(event(type, { item_id: item.id, output_index: index, content_index: 0, summary_index: 0, delta }))
    begin.push(event('response.output_item.done', { output_index: index, item }))
  }
  if (answer.error) {
    return { begin, rest: [event('response.failed', { response: responseOf(answer, body, { status: 'failed', error: answer.error }) })] }
  }
  const at = (index: number): number => others.length + index
  const status = statusOf(answer)
  return {
    begin,
    rest: [
      ...calls.map((item, index) => event('response.output_item.added', { output_index: at(index), item: { ...item, arguments: '' } })),
      ...interleave(answer.calls ?? []).map(({ index, piece }) =>
        event('response.function_call_arguments.delta', { item_id: calls[index]?.id, output_index: at(index), delta: piece }),
      ),
      // A call that was cut off is never said to be done.
      ...(status === 'incomplete' ? calls.slice(0, -1) : calls).map((item, index) =>
        event('response.output_item.done', { output_index: at(index), item }),
      ),
      event(`response.${status}`, { response: responseOf(answer, body, { status, output: items }) }),
    ],
  }
}
