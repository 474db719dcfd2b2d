import type { ArgsOf, OpenToolset, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { describeError } from '@agent/plugin-sdk/http'
import type { Api } from './api.ts'
import { domainOf, nameOf, withUnit } from './sentences.ts'
import type { tools } from './tools.ts'
import { type Domain, type EntityState, parseDomains, parseProblem, parseState, parseStates } from './wire.ts'

type Args<Tool extends keyof typeof tools> = ArgsOf<typeof tools, Tool>

/** Domains whose services run programs on the machine of Home Assistant, or reach out from it. */
const blocked = new Set(['shell_command', 'command_line', 'python_script', 'pyscript', 'hassio', 'rest_command'])
const mostLines = 200

export function createTools(api: Api): OpenToolset['tools'] {
  const listEntities: ToolRun<Args<'ha_list_entities'>> = async ({ args: { domain, search = '' } }, { signal }) => {
    const answer = await ask(api, 'ha_list_entities', '/states', signal)
    const states = answer.ok ? parseStates(answer.text) : undefined
    if (!states) return refuse('ha_list_entities', answer)
    const word = search.toLowerCase()
    const found = states
      .filter(({ entity_id: id }) => domain === undefined || domainOf(id) === domain)
      .filter((state) => state.entity_id.includes(word) || nameOf(state).toLowerCase().includes(word))
    return list(found.map((state) => `${state.entity_id}: ${withUnit(state)} (${nameOf(state)})`).sort(), 'entities')
  }
  const getState: ToolRun<Args<'ha_get_state'>> = async ({ args: { entity_id: id } }, { signal }) => {
    const answer = await ask(api, 'ha_get_state', `/states/${id}`, signal)
    const state = answer.ok ? parseState(answer.text) : undefined
    return state ? { ok: true, text: describeState(state) } : refuse('ha_get_state', answer)
  }
  const listServices: ToolRun<Args<'ha_list_services'>> = async ({ args: { domain } }, { signal }) => {
    const answer = await ask(api, 'ha_list_services', '/services', signal)
    const domains = answer.ok ? parseDomains(answer.text) : undefined
    if (!domains) return refuse('ha_list_services', answer)
    const offered = domains.filter((one) => !blocked.has(one.domain))
    if (domain === undefined)
      return list(
        offered.map(({ domain: name, services }) => `${name}: ${Object.keys(services).join(', ')}`),
        'domains',
      )
    return list(offered.filter((one) => one.domain === domain).flatMap(describeServices), 'services')
  }
  const callService: ToolRun<Args<'ha_call_service'>> = async ({ args: { domain, service, entity_id, data } }, { signal }) => {
    if (blocked.has(domain)) {
      const problem = `services of the domain ${domain} are not called from here`
      return { ok: false, error: toWireError(fail('TOOL_ARGUMENTS', { tool: 'ha_call_service', problem })) }
    }
    const body = { ...data, ...(entity_id === undefined ? {} : { entity_id }) }
    const answer = await ask(api, 'ha_call_service', `/services/${domain}/${service}`, signal, body)
    const changed = answer.ok ? parseStates(answer.text) : undefined
    if (!changed) return refuse('ha_call_service', answer)
    const lines = changed.map((state) => `${state.entity_id}: ${withUnit(state)}`)
    return { ok: true, text: [`${domain}.${service} was called.`, ...lines.slice(0, mostLines)].join('\n') }
  }
  return { ha_list_entities: listEntities, ha_get_state: getState, ha_list_services: listServices, ha_call_service: callService }
}

type Answer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

/** Asks; what goes wrong on the way is an answer too. */
async function ask(api: Api, tool: string, path: string, signal: AbortSignal, body?: unknown): Promise<Answer> {
  try {
    const response = await api(path, signal, body)
    const text = await response.text()
    if (response.ok) return { ok: true, text }
    if (response.status === 401) return { ok: false, problem: 'Home Assistant refused the token (HASS_TOKEN)' }
    return { ok: false, problem: `Home Assistant answered ${response.status}: ${parseProblem(text) ?? 'nothing'}` }
  } catch (error) {
    if (signal.aborted) throw fail('INTERRUPTED', undefined, { cause: error })
    return { ok: false, problem: `Home Assistant cannot be reached for ${tool}: ${describeError(error).detail}` }
  }
}

function refuse(tool: string, answer: Answer): ToolResult {
  const detail = answer.ok ? 'the answer of Home Assistant cannot be read.' : `${answer.problem}.`
  return { ok: false, error: toWireError(fail('TOOL_FAILED', { tool, detail })) }
}

function list(lines: readonly string[], what: string): ToolResult {
  if (lines.length === 0) return { ok: true, text: `No ${what} were found.` }
  const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more: narrow it by domain or by a word.`] : []
  return { ok: true, text: [...lines.slice(0, mostLines), ...more].join('\n') }
}

function describeState(state: EntityState): string {
  const since = state.last_changed === undefined ? [] : [`since: ${state.last_changed}`]
  return [`${state.entity_id}: ${withUnit(state)}`, ...since, `attributes: ${JSON.stringify(state.attributes ?? {})}`].join('\n')
}

function describeServices({ domain, services }: Domain): readonly string[] {
  return Object.entries(services).map(([name, { description, fields = {} }]) => {
    const names = Object.keys(fields).join(', ')
    return `${domain}.${name}(${names})${description ? `: ${description}` : ''}`
  })
}
