import type { ReasoningEffort } from '@agent/plugin-sdk'
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import { listProviders } from '#commands/model-list.ts'
import type { ModelWish } from '#models/select.ts'
import type { SessionWishes } from '#rpc/sessions/hub.ts'
import type { ApprovalMode } from '#tools/tool-turn.ts'
import type { EditorAgent } from './editor-agents.ts'
import { refuseParams } from './refusals.ts'

const modes = [
  { id: 'ask', name: 'Ask', description: 'You are asked before anything dangerous' },
  { id: 'smart', name: 'Ask a model first', description: 'A model judges what is dangerous; you are asked where it is in doubt' },
  { id: 'off', name: 'Do not ask', description: 'Nothing is asked, but what is forbidden stays forbidden' },
] as const satisfies readonly { readonly id: ApprovalMode; readonly name: string; readonly description: string }[]

const efforts: readonly ReasoningEffort[] = ['none', 'low', 'medium', 'high', 'xhigh']
const ownEffort = 'default'

/** What a person can choose for a session, and what is chosen. */
export interface SessionChoices {
  readonly modes: SessionModeState
  readonly configOptions: SessionConfigOption[]
}

type Sight = Pick<EditorAgent, 'ground'> & { readonly wishes: SessionWishes }

export function describeChoices({ ground, wishes }: Sight): SessionChoices {
  const mode = wishes.approvals ?? ground.agent.loaded.config.approvals.mode
  const model = nameOf(ground.agent.choose(wishes.wish))
  return {
    modes: { currentModeId: mode, availableModes: [...modes] },
    configOptions: [
      {
        ...{ id: 'mode', name: 'Approvals', category: 'mode', type: 'select', currentValue: mode },
        options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
      },
      {
        ...{ id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model },
        options: listModels(ground, model).map((value) => ({ value, name: value.replace(':', '/') })),
      },
      {
        ...{
          id: 'thinking',
          name: 'Thinking',
          category: 'thought_level',
          type: 'select',
          currentValue: wishes.reasoning.effort ?? ownEffort,
        },
        options: [ownEffort, ...efforts].map((value) => ({ value, name: value })),
      },
    ],
  }
}

const nameOf = ({ provider, model }: { readonly provider: string; readonly model: string }): string => `${provider}:${model}`

/** The model of the moment, those that stand in for it, and the own ones of providers that have what they need. No provider is asked. */
function listModels({ agent: { catalog, choose, loaded } }: EditorAgent['ground'], current: string): readonly string[] {
  const { fallback_model: last, fallback_providers: standIns } = loaded.config
  const ready = listProviders({ catalog, loaded, found: [] }).filter(({ state }) => state === 'chosen' || state === 'configured')
  const own = ready.flatMap(({ id }) => {
    const model = catalog.find('provider', id)?.spec.defaultModel
    return model === undefined ? [] : [{ provider: id, model }]
  })
  const all = [choose({}), ...standIns, last, ...own].filter(({ provider, model }) => provider !== '' && model !== '')
  return [...new Set([current, ...all.map(nameOf)])]
}

/** What setting an option asks of the session; what it cannot be is refused with what it can. */
export function readChoice(sight: Sight, id: string, value: unknown): Partial<SessionWishes> {
  const option = describeChoices(sight).configOptions.find((each) => each.id === id)
  if (option?.type !== 'select') throw refuseParams(`There is no option ${id}.`)
  const values = option.options.flatMap((each) => ('value' in each ? [each.value] : []))
  const found = values.find((each) => each === value)
  if (found === undefined) throw refuseParams(`${option.name} is one of ${values.join(', ')}, not ${JSON.stringify(value)}.`)
  if (id === 'mode') return { approvals: modes.find((mode) => mode.id === found)?.id }
  if (id === 'model') return { wish: readModel(found) }
  return { reasoning: { ...sight.wishes.reasoning, effort: efforts.find((effort) => effort === found) } }
}

/** Names of models may have a colon, those of providers have none. */
function readModel(value: string): ModelWish {
  const at = value.indexOf(':')
  return { provider: value.slice(0, at), model: value.slice(at + 1) }
}
