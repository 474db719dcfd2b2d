import type { AssistantPart, ModelMessage, ToolOutcome } from '@agent/plugin-sdk'
import type { AgentEnd } from '#tools/tool-turn.ts'

type Trace = AgentEnd['toolTrace']
type CallPart = Extract<AssistantPart, { type: 'call' }>

/**
 * One entry for each call of a tool, in the order of the calls. A call finds its result by its id; where ids lack, or where several calls of a step
 * have the same one, the results are taken in their order. A call without a result counts as an error.
 */
export function traceOf(messages: readonly ModelMessage[]): Trace {
  const entries: Trace[number][] = []
  let open: readonly CallPart[] = []
  let results: ToolOutcome[] = []
  const close = (): void => {
    entries.push(...pair(open, results))
    open = []
    results = []
  }
  for (const message of messages) {
    if (message.role === 'tool') results.push(...message.results)
    else {
      close()
      if (message.role === 'assistant') open = message.parts.filter((part) => part.type === 'call')
    }
  }
  close()
  return entries
}

function pair(calls: readonly CallPart[], results: readonly ToolOutcome[]): Trace {
  const left = new Set(results)
  const take = (fits: (result: ToolOutcome) => boolean): ToolOutcome | undefined => {
    const found = [...left].find(fits)
    if (found) left.delete(found)
    return found
  }
  const known = calls.map(({ id }) => (id === '' ? undefined : take((result) => result.id === id)))
  return calls.map((call, index) => {
    const result = known[index] ?? take(({ id, name }) => id === '' && name === call.name) ?? take(({ id }) => id === '' || call.id === '')
    return {
      tool: call.name,
      argsBytes: Buffer.byteLength(call.args),
      resultBytes: result ? Buffer.byteLength(result.text) : 0,
      status: result?.ok ? 'ok' : 'error',
    }
  })
}
